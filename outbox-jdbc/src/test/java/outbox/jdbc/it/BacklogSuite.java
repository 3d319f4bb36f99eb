package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.spi.OutboxStore.Backlog;
import outbox.spi.OutboxStore.DeadCount;

import static org.assertj.core.api.Assertions.assertThat;

/** How much waits in the table. */
@Tag("locale")
abstract class BacklogSuite {

    abstract TestedDatabase database();

    @Test
    void pending_events_are_counted_up_to_the_limit_and_locked_ones_among_them() throws SQLException {
        OutboxStore store = Tables.shipped(database(), "backlog_outbox").store();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(store.countBacklog(conn, 10)).isEqualTo(new Backlog(0, 0));
            for (String id : new String[] {"new", "retry", "done", "dead", "claimed"}) {
                store.insertNew(
                        conn,
                        EventEnvelope.builder("T").eventId(id).payloadJson("{}").build());
            }
            store.markRetry(conn, "retry", Instant.now().plusSeconds(3600), "no");
            store.markDone(conn, "done");
            store.markDead(conn, "dead", "no");
            assertThat(store.countBacklog(conn, 10)).isEqualTo(new Backlog(3, 0));

            Instant later = Instant.now().plusSeconds(60);
            assertThat(store.claimPending(conn, "me", later, later.minusSeconds(60), Duration.ZERO, 1))
                    .hasSize(1);
            assertThat(store.countBacklog(conn, 10)).isEqualTo(new Backlog(3, 1));
            assertThat(store.countBacklog(conn, 2).pending()).isEqualTo(2);
        }
        assertThat(store.tableName()).isEqualTo("backlog_outbox");
    }

    @Test
    void dead_events_are_counted_up_to_the_limit_latest_first_and_those_that_hold_their_keys_among_them()
            throws SQLException {
        OutboxStore store = Tables.shipped(database(), "dead_backlog_outbox").store();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(store.countDeadUpTo(conn, 10)).isEqualTo(new DeadCount(0, 0));
            for (String id : new String[] {"new", "done", "dead", "dead-too", "holds"}) {
                store.insertNew(
                        conn,
                        EventEnvelope.builder("T").eventId(id).payloadJson("{}").build());
            }
            store.markDone(conn, "done");
            store.markDead(conn, "dead", "no");
            store.markDead(conn, "dead-too", "no");
            assertThat(store.countDeadUpTo(conn, 10)).isEqualTo(new DeadCount(2, 0));

            store.leases().claim(conn, "me", Duration.ofMinutes(1), Duration.ZERO, 10);
            store.leases().markDead(conn, "me", List.of(new LeaseStore.HeldDead("holds", "no", true)));
            assertThat(store.countDeadUpTo(conn, 10)).isEqualTo(new DeadCount(3, 1));
            assertThat(store.countDeadUpTo(conn, 1)).isEqualTo(new DeadCount(1, 1));
            assertThat(store.countDeadUpTo(conn, 2).dead()).isEqualTo(2);
        }
    }
}
