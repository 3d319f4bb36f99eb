package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.TableName;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.PreflightFinding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What only MySQL, or its driver, puts in the way. */
@Timeout(120)
class MySqlPreflightIT {

    private static final TableName TABLE = TableName.of("mysql_preflight");

    private final TestedDatabase database = TestedDatabase.MYSQL;

    @BeforeEach
    void createTable() {
        Tables.shipped(database, TABLE.table());
    }

    private HikariDataSource pool(String parameters) {
        String url = database.database().url();
        return database.newPool(6, config -> config.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + parameters));
    }

    private static OutboxBuilder builder(HikariDataSource pool) {
        return JdbcOutbox.builder(pool, new ThreadLocalTxContext(), TABLE).listener("Paid", event -> {});
    }

    @Test
    void a_driver_that_speaks_an_old_character_set_refuses_the_start() {
        try (HikariDataSource pool = pool("characterEncoding=ISO-8859-1");
                Outbox outbox = builder(pool).build();
                Outbox writer = builder(pool).writerOnly().build()) {
            assertThatThrownBy(outbox::start).hasMessageContaining("[text] Table \"mysql_preflight\"");
            assertThatThrownBy(writer::start).hasMessageContaining("leave out characterEncoding");
        }
    }

    @Test
    void a_table_without_transactions_refuses_the_start_and_nothing_is_left_in_it() {
        Tables.execute(database.pool(), "ALTER TABLE " + TABLE + " ENGINE = MyISAM");
        try (HikariDataSource pool = pool("useUnicode=true");
                Outbox outbox = builder(pool).build()) {
            assertThatThrownBy(outbox::start)
                    .hasMessageContaining("[transactions] Table \"mysql_preflight\" is kept by the engine MyISAM")
                    .hasMessageContaining("ENGINE = InnoDB");
        }
        assertThat(Tables.select(database.pool(), "SELECT event_id FROM " + TABLE))
                .isEmpty();
    }

    @Test
    void a_server_that_ends_idle_sessions_at_once_is_a_warning_for_a_single_active_process() {
        try (HikariDataSource pool = pool("sessionVariables=wait_timeout=2");
                Outbox outbox = builder(pool)
                        .claimLocking(Duration.ofMinutes(1))
                        .singleActive(JdbcRelayLocks.forTable(pool, TABLE))
                        .build()) {
            assertThat(outbox.preflight().findings())
                    .extracting(PreflightFinding::check)
                    .containsExactly("idle-timeout");
        }
    }
}
