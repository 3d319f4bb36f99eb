package outbox.boot.autoconfigure;

import org.springframework.context.SmartLifecycle;
import outbox.Outbox;

/**
 * Starts an outbox when all beans are there, before the web server takes requests, and closes it after the web server has answered the last one,
 * while pools are still open.
 */
final class OutboxLifecycle implements SmartLifecycle {

    /** Below those of Spring Boot's web servers, which are 1024 and 2048 below the default. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final Outbox outbox;

    OutboxLifecycle(Outbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public void start() {
        outbox.start();
    }

    @Override
    public void stop() {
        outbox.close();
    }

    @Override
    public boolean isRunning() {
        return outbox.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Spring 7 pauses what it may start again, between tests for instance; an outbox that was closed stays closed. Spring 6 does not ask. */
    public boolean isPauseable() {
        return false;
    }
}
