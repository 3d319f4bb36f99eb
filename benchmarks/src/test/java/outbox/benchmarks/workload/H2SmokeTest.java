package outbox.benchmarks.workload;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import outbox.benchmarks.database.H2BenchServer;

/** Every workload runs, with ours and the floor, on H2. */
class H2SmokeTest {

    private static final H2BenchServer SERVER = H2BenchServer.start();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @TestFactory
    Stream<DynamicTest> every_workload_loses_nothing() {
        Smoke smoke = new Smoke(SERVER);
        return Workloads.of(Scale.TINY).stream()
                .filter(workload -> !workload.name().equals("end-to-end-8"))
                .map(workload ->
                        DynamicTest.dynamicTest(workload.name(), () -> smoke.run(workload, Smoke.oursAndFloors())));
    }
}
