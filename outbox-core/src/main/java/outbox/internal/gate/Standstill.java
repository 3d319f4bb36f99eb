package outbox.internal.gate;

import java.time.Duration;
import java.util.function.LongSupplier;
import outbox.internal.task.Alarms;
import outbox.internal.task.Alarms.Alarm;

/**
 * Notices that deliveries run, others wait for them, and none begins or ends for too long: then those that wait are better off in another process.
 * Not thread-safe.
 */
final class Standstill {

    /** As long as workers may be in one delivery each before what waits for them is left to others. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Alarms alarms;
    private final LongSupplier nanoTime;
    private final Runnable look;
    private Alarm alarm = Alarm.NONE;
    private long movedAt;
    private boolean noticed;

    /** @param look called when it is time to {@link #look} */
    Standstill(Alarms alarms, LongSupplier nanoTime, Runnable look) {
        this.alarms = alarms;
        this.nanoTime = nanoTime;
        this.look = look;
    }

    /** A delivery has begun or ended. */
    void moved() {
        movedAt = nanoTime.getAsLong();
        noticed = false;
    }

    /** Some wait from now on, or still do. */
    void someWait() {
        if (alarm == Alarm.NONE) {
            alarm = alarms.after(PATIENCE, look);
        }
    }

    /**
     * Looks whether it is so.
     *
     * @param running how many deliveries run: only while there are some does it end by itself
     * @param waiting how many wait
     */
    void look(int running, int waiting) {
        alarm = Alarm.NONE;
        if (waiting == 0) {
            return;
        }
        noticed = running > 0 && nanoTime.getAsLong() - movedAt >= PATIENCE.toNanos();
        if (!noticed) {
            someWait();
        }
    }

    /** Whether it has been noticed and nothing has moved since; not if nothing runs any more, as then nothing would ever move. */
    boolean isNoticed(int running) {
        return noticed && running > 0;
    }

    /** Looks no more. */
    void end() {
        alarm.callOff();
    }
}
