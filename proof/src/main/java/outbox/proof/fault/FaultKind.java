package outbox.proof.fault;

import java.util.Locale;

/** What can go wrong, for how long, and whether an event may be delivered again because of it. */
public enum FaultKind {
    KILL_NODE(0, 0, Excuse.NODE),
    /** SIGSTOP, for longer than the lease; what it holds is held from everybody. */
    PAUSE_NODE(5_500, 7_500, Excuse.ALL),
    RESTART_NODE(0, 0, Excuse.NONE),
    /** One node after the other. */
    ROLLING_RESTART(0, 0, Excuse.NONE),
    KILL_DATABASE(0, 0, Excuse.ALL),
    STOP_DATABASE(500, 1_500, Excuse.ALL),
    /** As it does when its disk is full. */
    READ_ONLY_DATABASE(1_000, 2_500, Excuse.ALL),
    CUT_CONNECTIONS(0, 0, Excuse.NODE),
    HALF_CLOSE_CONNECTIONS(0, 0, Excuse.NODE),
    REFUSE_CONNECTIONS(1_000, 2_500, Excuse.NODE),
    SLOW_NETWORK(1_000, 3_000, Excuse.NONE),
    /** The next commit of a node does not reach the database. */
    LOSE_COMMIT(1_000, 1_000, Excuse.NODE),
    /** The next commit of a node reaches the database, but the node does not hear of it. */
    LOSE_ANSWER_TO_COMMIT(1_000, 1_000, Excuse.NODE),
    EXHAUST_POOL(1_000, 2_500, Excuse.NODE),
    /** Rows of the outboxes are locked for longer than statements may wait. */
    STATEMENT_TIMEOUTS(2_500, 3_500, Excuse.ALL),
    /** Somebody locks rows of the outboxes in the reverse order, again and again; so leases wait for their renewal, too. */
    DEADLOCKS(1_000, 2_000, Excuse.ALL),
    STEP_CLOCK(1_000, 5_000, Excuse.NONE),
    LISTENERS_THROW(300, 1_500, Excuse.NONE),
    LISTENERS_HANG(1_000, 3_000, Excuse.NONE),
    LISTENERS_RUN_OUT_OF_MEMORY(200, 800, Excuse.NONE),
    LISTENER_OUTLIVES_LEASE(11_000, 12_000, Excuse.NONE),
    /** Not at random, but once in rounds that begin with tables of the first version: they are migrated under load. */
    MIGRATE_TABLES(0, 0, Excuse.ALL);

    /** Whose deliveries may be repeated. */
    enum Excuse {
        NONE,
        NODE,
        ALL
    }

    final int shortestMillis;
    final int longestMillis;
    final Excuse excuse;

    FaultKind(int shortestMillis, int longestMillis, Excuse excuse) {
        this.shortestMillis = shortestMillis;
        this.longestMillis = longestMillis;
        this.excuse = excuse;
    }

    /** The name in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
