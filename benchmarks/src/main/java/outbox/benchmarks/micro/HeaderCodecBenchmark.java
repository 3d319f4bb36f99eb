package outbox.benchmarks.micro;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import outbox.util.JsonCodec;

/** Headers to JSON and back. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HeaderCodecBenchmark {

    private final JsonCodec codec = JsonCodec.getDefault();
    private final Map<String, @Nullable String> headers =
            Map.of("trace", "4bf92f3577b34da6a3ce929d0e0e4736", "source", "shop", "note", "said \"no\"\n");
    private final String json = Objects.requireNonNull(codec.toJson(headers));

    /** Writes three headers. */
    @Benchmark
    public @Nullable String write() {
        return codec.toJson(headers);
    }

    /** Reads three headers. */
    @Benchmark
    public Map<String, @Nullable String> read() {
        return codec.parseObject(json);
    }

    /** Writes none, which is the usual case. */
    @Benchmark
    public @Nullable String writeNone() {
        return codec.toJson(Map.of());
    }
}
