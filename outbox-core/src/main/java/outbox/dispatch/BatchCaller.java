package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.ListenerCall.Batch;
import outbox.internal.task.Alarms.Alarm;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/**
 * Gathers events until there are enough for a batch, or until the first of them has waited long enough, and has them delivered on threads of its
 * own, a bounded number of batches at a time.
 */
final class BatchCaller implements Caller {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final Batch wanted;
    private final int concurrency;
    private final DirectCaller.Parts parts;
    private final BatchDelivery delivery;
    private final OwnThreads threads;
    private final Elsewhere elsewhere;
    private final DeliveryRun.Shift workers;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as what follows. */
    private final Deque<Passed> gathered = new ArrayDeque<>();

    private int running;
    private boolean waitedLongEnough;
    private Alarm alarm = Alarm.NONE;

    BatchCaller(
            DirectCaller.Parts parts,
            BatchSettings settings,
            BatchDelivery delivery,
            OwnThreads threads,
            Surroundings surroundings) {
        this.parts = parts;
        this.wanted = settings.batch;
        this.concurrency = settings.concurrency;
        this.delivery = delivery;
        this.threads = threads;
        this.elsewhere = surroundings.elsewhere;
        this.workers = surroundings.workers;
    }

    /** How large batches are, and how many run at a time. */
    record BatchSettings(Batch batch, int concurrency) {}

    /** What runs beside. */
    record Surroundings(Elsewhere elsewhere, DeliveryRun.Shift workers) {}

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void call(Passed passed) {
        elsewhere.begins();
        parts.steps().waitsForBatch(passed);
        List<Passed> batch;
        lock.lock();
        try {
            gathered.add(passed);
            batch = nextBatch();
            setAlarm();
        } finally {
            lock.unlock();
        }
        start(batch);
    }

    /** Null if it is not time for one. */
    private @Nullable List<Passed> nextBatch() {
        boolean ready = gathered.size() >= wanted.size()
                || (!gathered.isEmpty() && (waitedLongEnough || wanted.linger().isZero()));
        if (!ready || running >= concurrency) {
            return null;
        }
        List<Passed> batch = new ArrayList<>(Math.min(wanted.size(), gathered.size()));
        while (batch.size() < wanted.size() && !gathered.isEmpty()) {
            batch.add(gathered.remove());
        }
        running++;
        waitedLongEnough = false;
        alarm.callOff();
        alarm = Alarm.NONE;
        return batch;
    }

    private void setAlarm() {
        if (alarm == Alarm.NONE
                && !gathered.isEmpty()
                && !waitedLongEnough
                && !wanted.linger().isZero()) {
            alarm = parts.clockwork().alarms().after(wanted.linger(), this::enoughWaiting);
        }
    }

    private void enoughWaiting() {
        List<Passed> batch;
        lock.lock();
        try {
            alarm = Alarm.NONE;
            waitedLongEnough = true;
            batch = nextBatch();
            setAlarm();
        } finally {
            lock.unlock();
        }
        start(batch);
    }

    /** If there is no thread to be had, the events stay in the table for now. */
    private void start(@Nullable List<Passed> batch) {
        if (batch == null) {
            return;
        }
        batch.forEach(parts.steps()::leavesBatch);
        try {
            threads.execute(() -> run(batch));
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "No thread for a batch; its events stay in the table", LoggedError.of(e));
            batch.forEach(parts.steps()::letGo);
            start(ended(batch.size()));
        }
    }

    private void run(List<Passed> first) {
        for (List<Passed> batch = first; batch != null; ) {
            int events = batch.size();
            OneCall call = new OneCall(workers, () -> start(ended(events)));
            try {
                delivery.deliver(batch, call);
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "A batch has failed", LoggedError.of(e));
            }
            batch = call.endsInTime() ? ended(events) : null;
            if (batch != null) {
                batch.forEach(parts.steps()::leavesBatch);
            }
        }
    }

    /** A batch has ended, or nobody waits for its end any more. Returns the next one; null if there is none. */
    private @Nullable List<Passed> ended(int events) {
        List<Passed> next;
        lock.lock();
        try {
            running--;
            next = nextBatch();
            setAlarm();
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < events; i++) {
            elsewhere.ends();
        }
        return next;
    }

    @Override
    public void giveBackWaiting() {
        List<Passed> rest;
        lock.lock();
        try {
            alarm.callOff();
            alarm = Alarm.NONE;
            waitedLongEnough = false;
            rest = new ArrayList<>(gathered);
            gathered.clear();
        } finally {
            lock.unlock();
        }
        for (Passed passed : rest) {
            parts.steps().leavesBatch(passed);
            parts.steps().letGo(passed);
            elsewhere.ends();
        }
    }

    @Override
    public void close() {
        giveBackWaiting();
        threads.close();
    }
}
