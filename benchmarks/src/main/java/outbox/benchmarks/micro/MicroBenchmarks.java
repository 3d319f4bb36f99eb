package outbox.benchmarks.micro;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the JMH benchmarks, with the bytes that each operation allocates. */
public final class MicroBenchmarks {

    private MicroBenchmarks() {}

    /** Runs them all in JVMs of their own and prints what came out. */
    public static void run() throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(MicroBenchmarks.class.getPackageName().replace(".", "\\."))
                        .addProfiler(GCProfiler.class)
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.seconds(1))
                        .build())
                .run();
    }
}
