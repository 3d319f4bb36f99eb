package outbox.spi;

import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import outbox.model.PreflightFinding;

/**
 * Tries what an outbox will do, before it does it, and tells everything that is in its way. Leaves nothing behind: what it writes is rolled back,
 * and nobody waits for it.
 */
public interface Preflight {

    /** What an outbox does beside writing. */
    enum Need {
        /** It delivers: finds events and records what became of them. */
        DELIVERS,
        /** It leases events. */
        LEASES,
        /** It keeps the order of each aggregate. */
        KEEPS_ORDER,
        /** It deletes events: those that are delivered, or those whose retention has passed. */
        DELETES,
        /** It deletes events whose retention has passed. */
        PURGES,
        /** Only one process delivers at a time. */
        SINGLE_ACTIVE,
        /** It listens for news of other processes. */
        WAKE_UPS,
        /** It writes payloads that are not text: it has a payload transformer. */
        KEEPS_BYTES
    }

    /**
     * What an outbox is going to do.
     *
     * @param connections for its work: claims, outcomes, renewals, purges
     * @param held where connections come from that it keeps for as long as it runs, one for each; see {@link ConnectionProvider#source()}
     * @param clock that decides which events are due
     */
    record Work(Set<Need> needs, ConnectionProvider connections, List<Object> held, Clock clock) {

        public Work {
            needs = Set.copyOf(needs);
            held = List.copyOf(held);
        }

        /** Whether that belongs to it. */
        public boolean needs(Need need) {
            return needs.contains(need);
        }
    }

    /** The names of the checks, in their order. */
    List<String> checks();

    /**
     * Runs the checks.
     *
     * @param skipped the names of checks that are left out
     * @return everything that was found
     * @throws SQLException if the database cannot be reached, or does not write for now: nothing is known then
     */
    List<PreflightFinding> run(Work work, Set<String> skipped) throws SQLException;
}
