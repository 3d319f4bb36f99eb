package outbox.jdbc.it;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;

/** That two processes notice each other which must not share a table, at the pace of their heartbeats. */
@Timeout(180)
class SingleProcessBesideOthersIT {

    /** Heartbeats take their time: meanwhile other tests want the processor. */
    private static final long BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final TableName TABLE = TableName.of("beside_outbox");

    private static OutboxBuilder builder() {
        return JdbcOutbox.builder(TestedDatabase.H2.pool(), TABLE).createTable().listener("Tick", event -> {});
    }

    @Test
    void both_say_so_once_and_in_their_health_until_one_of_them_has_ended() {
        try (LibraryLog log = new LibraryLog();
                Outbox leasing = builder().build()) {
            leasing.start();
            try (Outbox single = builder().singleProcess().build()) {
                single.start();
                while (leasing.health().healthy() || single.health().healthy()) {
                    LockSupport.parkNanos(BETWEEN_LOOKS); // the test's timeout ends it
                }
                assertThat(single.health().problems())
                        .singleElement()
                        .asString()
                        .contains("leases nothing (singleProcess())", "(leases)");
                assertThat(leasing.health().problems())
                        .singleElement()
                        .asString()
                        .contains("leases nothing (singleProcess())", "(single process)");
            }
            while (!leasing.health().healthy()) {
                LockSupport.parkNanos(BETWEEN_LOOKS); // the test's timeout ends it
            }
            assertThat(log.lines(Level.WARNING, "singleProcess()")).hasSize(2);
        }
    }
}
