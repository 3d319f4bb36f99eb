package outbox.internal.task;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/** Does small things at a time. */
public interface Alarms {

    /** Something that will be done, unless it is called off before. */
    @FunctionalInterface
    interface Alarm {

        /** What never happens. */
        Alarm NONE = () -> {};

        void callOff();
    }

    /** Does something after that time, on a thread that must not be kept long. */
    Alarm after(Duration delay, Runnable what);

    /** Does nothing more. */
    default void close() {}

    /** Alarms on one thread, which is made when the first of them is set and ends when there is none for a while. */
    final class OnThread implements Alarms {

        private static final Logger LOG = SafeLog.of(Alarms.class);
        private static final long IDLE_SECONDS = 60;

        private final ScheduledThreadPoolExecutor executor;

        public OnThread(ThreadFactory threads) {
            executor = new ScheduledThreadPoolExecutor(1, threads);
            executor.setRemoveOnCancelPolicy(true);
            executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            executor.allowCoreThreadTimeOut(true);
        }

        @Override
        public Alarm after(Duration delay, Runnable what) {
            try {
                Future<?> future = executor.schedule(() -> run(what), Nanos.of(delay), TimeUnit.NANOSECONDS);
                return () -> future.cancel(false);
            } catch (RejectedExecutionException e) {
                return Alarm.NONE; // closed: what still runs is ended by others
            }
        }

        private static void run(Runnable what) {
            try {
                what.run();
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "What was to be done at a time has failed", LoggedError.of(e));
            }
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }
}
