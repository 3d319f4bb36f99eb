package outbox.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.internal.text.SafeLog;

/**
 * What is to run at the end of one transaction, in the order in which it was asked for.
 *
 * <p>A savepoint marks how far the lists had grown when it was created. A rollback to it cuts them back to the mark: the
 * commit callbacks beyond it and those for an unknown outcome are forgotten, the rollback callbacks beyond it will run. They wait for the end of the transaction, because
 * Spring announces the rollback just before it happens, when it may still fail and when an exception from here would prevent it.
 *
 * <p>Confined to the thread of its transaction.
 */
final class TransactionCallbacks implements TransactionSynchronization {

    private static final Logger LOG = SafeLog.of(TransactionCallbacks.class);

    private final List<Runnable> onCommit = new ArrayList<>();
    private final List<Runnable> onRollback = new ArrayList<>();
    private final List<Runnable> onUnknown = new ArrayList<>();
    private final List<Runnable> rolledBackToSavepoint = new ArrayList<>();
    private final Deque<Mark> marks = new ArrayDeque<>();
    private boolean inTime;
    private boolean ended;

    private TransactionCallbacks() {}

    /** Those of the thread's transaction, created at the first call. Needs active synchronization. */
    static TransactionCallbacks ofThisTransaction() {
        TransactionCallbacks known = registered();
        if (known != null) {
            return known;
        }
        TransactionCallbacks added = new TransactionCallbacks();
        TransactionSynchronizationManager.registerSynchronization(added);
        return added;
    }

    /** Those of the thread's transaction, if it has any. Needs active synchronization. */
    static @Nullable TransactionCallbacks registered() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof TransactionCallbacks callbacks) {
                return callbacks;
            }
        }
        return null;
    }

    /** Whether the transaction has committed or rolled back: what is written now is no longer part of it. */
    boolean hasEnded() {
        return ended;
    }

    void addOnCommit(Runnable callback) {
        onCommit.add(callback);
    }

    void addOnRollback(Runnable callback) {
        onRollback.add(callback);
    }

    void addOnUnknown(Runnable callback) {
        onUnknown.add(callback);
    }

    /** First, so that {@link #hasEnded} is right by the time other synchronizations run their own code after the commit. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void savepoint(Object savepoint) {
        marks.push(new Mark(savepoint, onCommit.size(), onRollback.size(), onUnknown.size()));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        Mark mark = returnTo(savepoint);
        tail(onCommit, mark.commits()).clear();
        tail(onUnknown, mark.unknowns()).clear();
        List<Runnable> undone = tail(onRollback, mark.rollbacks());
        rolledBackToSavepoint.addAll(undone);
        undone.clear();
    }

    /** Forgets the savepoints after the given one, as the database does. One never seen is older than all callbacks. */
    private Mark returnTo(Object savepoint) {
        while (!marks.isEmpty() && marks.peek().savepoint() != savepoint) {
            marks.pop();
        }
        return marks.isEmpty() ? Mark.BEFORE_ALL : marks.peek();
    }

    @Override
    public void beforeCompletion() {
        inTime = true;
    }

    @Override
    public void afterCommit() {
        ended = true;
        RunAll.of(take(onCommit));
    }

    @Override
    public void afterCompletion(int status) {
        ended = true;
        List<Runnable> due = new ArrayList<>();
        if (status == STATUS_COMMITTED) {
            due.addAll(leftAfterCommit());
        }
        if (status == STATUS_UNKNOWN) {
            due.addAll(take(onUnknown));
        }
        due.addAll(take(rolledBackToSavepoint));
        if (status != STATUS_COMMITTED) {
            due.addAll(take(onRollback));
        }
        RunAll.of(due);
    }

    /**
     * Spring skips {@link #afterCommit} when another synchronization threw in its own, and when this one was registered
     * too late. In the first case the callbacks are due; in the second they belong to writes made after the commit.
     */
    private List<Runnable> leftAfterCommit() {
        List<Runnable> left = take(onCommit);
        if (left.isEmpty() || inTime) {
            return left;
        }
        LOG.log(
                Level.WARNING,
                "{0} callback(s) were registered after the transaction had committed and will not run; begin a new transaction for what follows a commit",
                left.size());
        return List.of();
    }

    private static List<Runnable> tail(List<Runnable> callbacks, int from) {
        return callbacks.subList(from, callbacks.size());
    }

    private static List<Runnable> take(List<Runnable> callbacks) {
        List<Runnable> taken = List.copyOf(callbacks);
        callbacks.clear();
        return taken;
    }

    /** How many callbacks there were when the savepoint was created. */
    private record Mark(@Nullable Object savepoint, int commits, int rollbacks, int unknowns) {

        static final Mark BEFORE_ALL = new Mark(null, 0, 0, 0);
    }
}
