package outbox.benchmarks.micro;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import outbox.EventEnvelope;
import outbox.benchmarks.candidate.BenchEvent;

/** Building an event. The id's cost is the difference between one with a new ULID and one whose id is given. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EnvelopeBenchmark {

    private final String payload = new BenchEvent(0).payload();
    private final Map<String, String> headers = Map.of("trace", "4bf92f3577b34da6a3ce929d0e0e4736", "source", "shop");

    /** With an id of its own. */
    @Benchmark
    public EventEnvelope givenId() {
        return EventEnvelope.builder("OrderPlaced")
                .eventId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
                .payloadJson(payload)
                .build();
    }

    /** With a new ULID. */
    @Benchmark
    public EventEnvelope newUlid() {
        return EventEnvelope.ofJson("OrderPlaced", payload);
    }

    /** With a new ULID while other threads make some too. */
    @Benchmark
    @Threads(4)
    public EventEnvelope newUlidContended() {
        return EventEnvelope.ofJson("OrderPlaced", payload);
    }

    /** With everything that an event can have. */
    @Benchmark
    public EventEnvelope allParts() {
        return EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("4711")
                .tenantId("acme")
                .headers(headers)
                .payloadJson(payload)
                .build();
    }
}
