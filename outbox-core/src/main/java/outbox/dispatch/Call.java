package outbox.dispatch;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.Alarms;
import outbox.internal.task.Alarms.Alarm;
import outbox.internal.task.Nanos;

/**
 * One call of a listener, with an event or a batch, and the end of its time. It ends once: in time, late, or not at all as far as this process
 * can wait. Thread-safe.
 */
final class Call {

    /** How a call has ended. */
    enum End {
        IN_TIME,
        /** Its time was over; it counts as a failure. */
        LATE,
        /** Too late for anything: it was given up before. */
        GIVEN_UP,
        /** It had ended before. */
        AGAIN
    }

    /** What a call needs to end in time. */
    record Clockwork(Alarms alarms, LongSupplier nanoTime) {}

    private enum State {
        RUNS,
        OUT_OF_TIME,
        GIVEN_UP,
        ENDED
    }

    /** For so long a call that was interrupted may take to end. */
    private static final Duration LONGEST_GRACE = Duration.ofSeconds(1);

    private final Clockwork clockwork;
    private final @Nullable Duration timeout;
    private State state = State.RUNS;
    private @Nullable Thread thread;
    private @Nullable Runnable cancel;
    private @Nullable Runnable givenUp;
    private long endsAt;
    private @Nullable Alarm alarm;

    /** @param timeout null for a call that may take for ever */
    Call(Clockwork clockwork, @Nullable Duration timeout) {
        this.clockwork = clockwork;
        this.timeout = timeout;
    }

    /**
     * The call begins.
     *
     * @param interrupts whether the current thread is interrupted when its time is over
     * @param whenGivenUp done if it does not end then
     */
    synchronized void begins(boolean interrupts, Runnable whenGivenUp) {
        if (interrupts) {
            thread = Thread.currentThread();
        }
        givenUp = whenGivenUp;
        if (timeout != null) {
            endsAt = clockwork.nanoTime.getAsLong() + Nanos.of(timeout);
            alarm = clockwork.alarms.after(timeout, this::timeIsUp);
        }
    }

    /** It goes on without its thread, which must not be interrupted any more. */
    synchronized void leavesThread() {
        thread = null;
    }

    /** What ends it if its time is over, as far as that can be ended. */
    void endsBy(Runnable how) {
        synchronized (this) {
            cancel = how;
            if (state == State.RUNS) {
                return;
            }
        }
        how.run(); // its time was over before anybody could say how to end it
    }

    /** How long it still has; null if that is for ever. */
    synchronized @Nullable Duration left() {
        return timeout == null ? null : Duration.ofNanos(endsAt - clockwork.nanoTime.getAsLong());
    }

    /** Gives it that much time from now on. Returns false if its time was over before. */
    synchronized boolean extend(Duration fromNow) {
        long nanos = Nanos.of(fromNow);
        if (state != State.RUNS) {
            return false;
        }
        if (timeout != null) {
            callOffAlarm();
            endsAt = clockwork.nanoTime.getAsLong() + nanos;
            alarm = clockwork.alarms.after(fromNow, this::timeIsUp);
        }
        return true;
    }

    synchronized boolean runs() {
        return state == State.RUNS;
    }

    /** The call has ended; whoever is told {@link End#IN_TIME} or {@link End#LATE} decides what becomes of it. */
    synchronized End ends() {
        callOffAlarm();
        End end = switch (state) {
            case RUNS -> End.IN_TIME;
            case OUT_OF_TIME -> End.LATE;
            case GIVEN_UP -> End.GIVEN_UP;
            case ENDED -> End.AGAIN;
        };
        state = State.ENDED;
        thread = null;
        return end;
    }

    private void callOffAlarm() {
        if (alarm != null) {
            alarm.callOff();
        }
    }

    private void timeIsUp() {
        Runnable how;
        synchronized (this) {
            long left = endsAt - clockwork.nanoTime.getAsLong();
            if (state != State.RUNS) {
                return;
            }
            if (left > 0) {
                alarm = clockwork.alarms.after(Duration.ofNanos(left), this::timeIsUp);
                return;
            }
            state = State.OUT_OF_TIME;
            alarm = clockwork.alarms.after(grace(), this::graceIsOver);
            if (thread != null) {
                thread.interrupt(); // as long as this is locked it is in this call
            }
            how = cancel;
        }
        if (how != null) {
            how.run();
        }
    }

    private Duration grace() {
        return timeout == null || timeout.compareTo(LONGEST_GRACE) > 0 ? LONGEST_GRACE : timeout;
    }

    private void graceIsOver() {
        Runnable what;
        synchronized (this) {
            if (state != State.OUT_OF_TIME) {
                return;
            }
            state = State.GIVEN_UP;
            what = givenUp;
        }
        if (what != null) {
            what.run();
        }
    }

    /** Where its thread is, as the lines of a stack trace; empty if it has none. */
    synchronized String whereItIs() {
        Thread running = thread;
        if (running == null) {
            return "";
        }
        StringBuilder lines = new StringBuilder(running.getName());
        for (StackTraceElement frame : running.getStackTrace()) {
            lines.append("\n\tat ").append(frame);
        }
        return lines.toString();
    }
}
