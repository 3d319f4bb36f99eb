package outbox.benchmarks.workload;

import java.lang.management.ManagementFactory;

/** Processor time of this process; with H2 that includes the database. */
final class CpuClock {

    private final com.sun.management.OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private final long begin = system.getProcessCpuTime();

    private CpuClock() {}

    static CpuClock start() {
        return new CpuClock();
    }

    double microsSinceStart() {
        return (system.getProcessCpuTime() - begin) / 1e3;
    }
}
