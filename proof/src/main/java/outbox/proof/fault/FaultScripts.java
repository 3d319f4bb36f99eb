package outbox.proof.fault;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import outbox.proof.database.HurtDatabase;
import outbox.proof.database.OutboxTables;
import outbox.proof.proxy.FaultyProxy;

/** How each kind of fault is done, and undone. */
final class FaultScripts {

    private static final Duration CLOCK_STEP = Duration.ofMinutes(10);
    private static final int LONGEST_DELAY_MILLIS = 30;

    private final List<Slot> slots;
    private final OutboxTables tables;
    private final Collection<Slot> toRestart;
    private final Random random;

    FaultScripts(List<Slot> slots, OutboxTables tables, Collection<Slot> toRestart, Random random) {
        this.slots = slots;
        this.tables = tables;
        this.toRestart = toRestart;
        this.random = random;
    }

    Damage begin(FaultPlan.Step step, Slot slot) throws Exception {
        long millis = step.time().toMillis();
        return switch (step.kind()) {
            case KILL_PROCESS -> Damage.done(slot::kill);
            case PAUSE_PROCESS -> {
                slot.pause();
                yield Damage.until(slot::resume);
            }
            case RESTART_PROCESS -> Damage.done(() -> toRestart.add(slot));
            case ROLLING_RESTART -> Damage.done(() -> toRestart.addAll(slots));
            case KILL_DATABASE,
                    STOP_DATABASE,
                    READ_ONLY_DATABASE,
                    FAIL_OVER,
                    LOCK_ROWS,
                    LOCK_ROWS_BEYOND_LEASE,
                    DEADLOCKS -> hurt(slot.database(), step);
            case CUT_CONNECTIONS,
                    HALF_CLOSE_CONNECTIONS,
                    REFUSE_CONNECTIONS,
                    SLOW_NETWORK,
                    LOSE_COMMIT,
                    LOSE_ANSWER_TO_COMMIT -> spoilNetwork(slot, step.kind());
            case STEP_CLOCK -> {
                long far = CLOCK_STEP.toMillis();
                slot.order("clock " + (random.nextBoolean() ? far : -far));
                yield Damage.until(() -> slot.order("clock 0"));
            }
            case EXHAUST_POOL -> ordered(slot, millis, "exhaust");
            case LISTENERS_THROW -> ordered(slot, millis, "throw");
            case BAD_MESSAGES -> ordered(slot, millis, "throw-bad-text", "write-bad-texts");
            case RECEIVER_AWAY -> ordered(slot, millis, "away");
            case LISTENERS_HANG -> ordered(slot, millis, "hang");
            case LISTENERS_RUN_OUT_OF_MEMORY -> ordered(slot, millis, "out-of-memory");
            case LISTENER_OUTLIVES_LEASE -> ordered(slot, millis, "slow");
            case THROWING_LOG -> ordered(slot, millis, "throwing-log");
            case FULL_HEAP -> ordered(slot, millis, "write-large");
            case KILLER_EVENT -> ordered(slot, millis, "write-killer");
            case HUNG_LISTENERS -> ordered(slot, millis, "hang");
            case LONG_TRANSACTIONS -> ordered(slot, millis, "long-transactions");
            case HELD_BACKLOG -> ordered(slot, millis, "write-backlog");
            case MIGRATE_TABLES -> Damage.done(tables::migrate);
        };
    }

    /** Lets a process do something for so long, after which it ends by itself. */
    private static Damage ordered(Slot slot, long millis, String... orders) throws Exception {
        for (String order : orders) {
            slot.order(order + " " + millis);
        }
        return Damage.until(() -> {});
    }

    private static Damage hurt(HurtDatabase database, FaultPlan.Step step) throws Exception {
        return switch (step.kind()) {
            case KILL_DATABASE -> {
                database.server().kill();
                yield Damage.until(database.server()::start);
            }
            case STOP_DATABASE -> {
                database.server().stop();
                yield Damage.until(database.server()::start);
            }
            case READ_ONLY_DATABASE -> {
                database.readOnly(true);
                yield Damage.until(() -> database.readOnly(false));
            }
            case FAIL_OVER -> {
                database.makeReadOnlySessions(true);
                database.cutSessions();
                yield Damage.until(() -> database.makeReadOnlySessions(false));
            }
            case LOCK_ROWS, LOCK_ROWS_BEYOND_LEASE -> {
                RowLocks locks = RowLocks.hold(database);
                yield new Damage(locks::close, locks.keys());
            }
            case DEADLOCKS -> {
                long until = System.nanoTime() + step.time().toNanos();
                Thread disturber = new Thread(() -> RowLocks.disturb(database, until), "disturber");
                disturber.start();
                yield Damage.until(disturber::join);
            }
            default -> throw new IllegalArgumentException(step.kind() + " is not done to a database");
        };
    }

    private Damage spoilNetwork(Slot slot, FaultKind kind) throws Exception {
        List<FaultyProxy> network = slot.network();
        return switch (kind) {
            case CUT_CONNECTIONS -> Damage.done(() -> network.forEach(FaultyProxy::cut));
            case HALF_CLOSE_CONNECTIONS -> Damage.done(() -> network.forEach(FaultyProxy::halfClose));
            case REFUSE_CONNECTIONS -> {
                network.forEach(proxy -> proxy.refuse(true));
                network.forEach(FaultyProxy::cut);
                yield Damage.until(() -> network.forEach(proxy -> proxy.refuse(false)));
            }
            case SLOW_NETWORK -> {
                Duration delay = Duration.ofMillis(1 + random.nextInt(LONGEST_DELAY_MILLIS));
                network.forEach(proxy -> proxy.delay(delay));
                yield Damage.until(() -> network.forEach(proxy -> proxy.delay(Duration.ZERO)));
            }
            case LOSE_COMMIT -> {
                slot.toDatabase().swallow(slot.database().kind().commit());
                yield Damage.until(slot.toDatabase()::spare);
            }
            case LOSE_ANSWER_TO_COMMIT -> {
                slot.toDatabase().swallowAnswerTo(slot.database().kind().commit());
                yield Damage.until(slot.toDatabase()::spare);
            }
            default -> throw new IllegalArgumentException(kind + " is not done to a network");
        };
    }
}
