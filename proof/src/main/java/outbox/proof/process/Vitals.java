package outbox.proof.process;

/** What does not grow in a process, however long it runs. */
public final class Vitals {

    private Vitals() {}

    /** Memory after a collection in kilobytes, threads, connections, events in flight; separated by spaces. */
    public static String of(ProcessPool pool, int inFlight) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long kilobytes = (runtime.totalMemory() - runtime.freeMemory()) / 1024;
        return kilobytes + " " + Thread.activeCount() + " " + pool.connections() + " " + inFlight;
    }
}
