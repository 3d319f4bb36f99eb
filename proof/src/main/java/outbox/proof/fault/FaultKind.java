package outbox.proof.fault;

import java.util.Locale;

/** What can go wrong, for how long, and what is excused by it. */
public enum FaultKind {
    KILL_PROCESS(0, 0, Excuse.PROCESS),
    /** SIGSTOP, for longer than the lease; what it holds is held from everybody. */
    PAUSE_PROCESS(5_500, 7_500, Excuse.ALL),
    RESTART_PROCESS(0, 0, Excuse.NONE),
    /** One process after the other. */
    ROLLING_RESTART(0, 0, Excuse.NONE),
    KILL_DATABASE(0, 0, Excuse.ALL),
    STOP_DATABASE(500, 1_500, Excuse.ALL),
    /** As it does when its disk is full. Shorter than the lease, so that outcomes wait and nothing is delivered again. */
    READ_ONLY_DATABASE(1_000, 2_500, Excuse.NONE, Excuse.ALL),
    /** All connections are cut, and those that are made meanwhile can never write; those that are made afterwards can. */
    FAIL_OVER(500, 1_500, Excuse.NONE, Excuse.ALL),
    CUT_CONNECTIONS(0, 0, Excuse.PROCESS),
    HALF_CLOSE_CONNECTIONS(0, 0, Excuse.PROCESS),
    REFUSE_CONNECTIONS(1_000, 2_500, Excuse.PROCESS),
    SLOW_NETWORK(1_000, 3_000, Excuse.NONE, Excuse.PROCESS),
    /** The next commit of a process does not reach the database. */
    LOSE_COMMIT(1_000, 1_000, Excuse.PROCESS),
    /** The next commit of a process reaches the database, but the process does not hear of it. */
    LOSE_ANSWER_TO_COMMIT(1_000, 1_000, Excuse.PROCESS),
    EXHAUST_POOL(1_000, 2_500, Excuse.PROCESS),
    /** Rows that are needed are locked for longer than statements may wait, and shorter than the lease. */
    LOCK_ROWS(2_200, 3_000, Excuse.NONE, Excuse.ROWS),
    /** Rows that are needed are locked for longer than the lease. */
    LOCK_ROWS_BEYOND_LEASE(8_000, 10_000, Excuse.ROWS),
    /** Somebody locks rows in the reverse order, again and again; so leases wait for their renewal, too. */
    DEADLOCKS(1_000, 2_000, Excuse.ALL),
    STEP_CLOCK(1_000, 5_000, Excuse.NONE),
    LISTENERS_THROW(300, 1_500, Excuse.NONE),
    /** Listeners throw messages that a database may refuse, such as one with a NUL; some events have no others, for ever. */
    BAD_MESSAGES(1_000, 2_000, Excuse.NONE),
    /** Longer than all attempts of an event together: the receiver of a process is away, which must use up none of them. */
    RECEIVER_AWAY(14_000, 18_000, Excuse.NONE),
    LISTENERS_HANG(1_000, 3_000, Excuse.NONE),
    LISTENERS_RUN_OUT_OF_MEMORY(200, 800, Excuse.NONE),
    LISTENER_OUTLIVES_LEASE(11_000, 12_000, Excuse.NONE),
    /** Whatever is logged, the log throws it back. */
    THROWING_LOG(1_000, 3_000, Excuse.NONE),
    /** Events are written that do not fit into the heap together, either all due in the end or while listeners hang. */
    FULL_HEAP(10_000, 12_000, Excuse.NONE),
    /** An event is written whose listener halts its process, whoever delivers it. The deaths are excused, each at its process. */
    KILLER_EVENT(2_000, 2_000, Excuse.NONE),
    /** All listeners of a process hang for so long that it must leave to others what waits behind them. */
    HUNG_LISTENERS(41_000, 44_000, Excuse.NONE),
    /** Several transactions of a process stay open for longer than the lease, while it goes on writing others. */
    LONG_TRANSACTIONS(6_000, 9_000, Excuse.NONE),
    /** Where keys are held: an event that will die, and thousands behind it that wait until a person comes. */
    HELD_BACKLOG(20_000, 20_000, Excuse.NONE),
    /** Not at random, but once in rounds that begin with tables of the first version: they are migrated under load. */
    MIGRATE_TABLES(0, 0, Excuse.ALL);

    /** What is excused. */
    enum Excuse {
        NONE,
        /** What happens at the process that it was done to. */
        PROCESS,
        /** What happens to the rows that it was done to. */
        ROWS,
        ALL
    }

    final int shortestMillis;
    final int longestMillis;

    /** Whose deliveries may be repeated. */
    final Excuse repeats;

    /** Whose outcomes may have to wait until they are recorded; at least those whose deliveries may be repeated. */
    final Excuse delays;

    FaultKind(int shortestMillis, int longestMillis, Excuse repeats) {
        this(shortestMillis, longestMillis, repeats, repeats);
    }

    FaultKind(int shortestMillis, int longestMillis, Excuse repeats, Excuse delays) {
        this.shortestMillis = shortestMillis;
        this.longestMillis = longestMillis;
        this.repeats = repeats;
        this.delays = delays;
    }

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** The name on the command line. */
    public String option() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it is done to the database, which has one such trouble at a time. */
    boolean isOfDatabase() {
        return switch (this) {
            case KILL_DATABASE,
                    STOP_DATABASE,
                    READ_ONLY_DATABASE,
                    FAIL_OVER,
                    LOCK_ROWS,
                    LOCK_ROWS_BEYOND_LEASE,
                    DEADLOCKS,
                    MIGRATE_TABLES -> true;
            default -> false;
        };
    }

    /** Whether only those feel it that write and deliver. */
    boolean isOfNodes() {
        return switch (this) {
            case RECEIVER_AWAY, FULL_HEAP, KILLER_EVENT, HUNG_LISTENERS, LONG_TRANSACTIONS, HELD_BACKLOG -> true;
            default -> false;
        };
    }

    /** For how long there must be load after its beginning, so that it is worth beginning. */
    int needsMillis() {
        return switch (this) {
            case KILLER_EVENT -> 28_000; // four processes one after the other, and the leases of each
            case HUNG_LISTENERS, HELD_BACKLOG -> longestMillis;
            default -> 0;
        };
    }

    /** Whether it brings events that any node may come across, so that all must know it. */
    public boolean isForAllNodes() {
        return this == KILLER_EVENT || this == HELD_BACKLOG;
    }
}
