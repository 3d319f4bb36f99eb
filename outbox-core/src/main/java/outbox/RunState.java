package outbox;

/** Whether an outbox runs. It starts once; what fails to start is closed, and what is closed does not start again. Thread-safe. */
final class RunState {

    private volatile boolean started;
    private volatile boolean ended;

    /**
     * Starts the parts, unless that was done.
     *
     * @param close closes everything; called if a part cannot be started
     * @throws IllegalStateException if it has ended
     */
    synchronized void start(String name, Runnable parts, Runnable close) {
        if (ended) {
            throw new IllegalStateException("outbox " + name + " has been closed; build a new one");
        }
        if (started) {
            return;
        }
        try {
            parts.run();
            started = true;
        } catch (Throwable e) {
            closeAfter(e, close);
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, Runnable close) {
        try {
            close.run();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Does not wait for a start that is under way, which may be waiting for the database. */
    void end() {
        ended = true;
    }

    boolean isRunning() {
        return started && !ended;
    }
}
