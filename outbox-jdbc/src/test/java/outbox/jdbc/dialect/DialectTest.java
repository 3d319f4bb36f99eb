package outbox.jdbc.dialect;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DialectTest {

    private static final List<Dialect> ALL =
            List.of(new H2Dialect(), new PostgresDialect(), new MySqlDialect(), new MariaDbDialect());

    private static Dialect named(String name) {
        return ALL.stream()
                .filter(dialect -> dialect.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "h2, DUPLICATE, 23505, 23505",
        "h2, DEADLOCK, 40001, 40001",
        "h2, SERIALIZATION, 90131, 90131",
        "h2, LOCK_TIMEOUT, HYT00, 50200",
        "h2, READ_ONLY, 90097, 90097",
        "h2, CHECK, 23513, 23513",
        "h2, MISSING, 42S04, 42104",
        "h2, DENIED, 90096, 90096",
        "postgresql, DUPLICATE, 23505, 0",
        "postgresql, DEADLOCK, 40P01, 0",
        "postgresql, SERIALIZATION, 40001, 0",
        "postgresql, LOCK_TIMEOUT, 55P03, 0",
        "postgresql, READ_ONLY, 25006, 0",
        "postgresql, NOT_JSON, 22P02, 0",
        "postgresql, CHECK, 23514, 0",
        "postgresql, MISSING, 42P01, 0",
        "postgresql, DENIED, 42501, 0",
        "mysql, DUPLICATE, 23000, 1062",
        "mysql, DEADLOCK, 40001, 1213",
        "mysql, LOCK_TIMEOUT, 40001, 1205",
        "mysql, READ_ONLY, HY000, 1290",
        "mysql, NOT_JSON, 22001, 3140",
        "mysql, CHECK, HY000, 3819",
        "mysql, MISSING, 42S02, 1146",
        "mysql, DENIED, 42000, 1142",
        "mariadb, SERIALIZATION, HY000, 1020",
        "mariadb, LOCK_TIMEOUT, HY000, 1205",
        "mariadb, CHECK, 23000, 4025"
    })
    void an_exception_means_one_thing(String dialect, Failure meant, String state, int code) {
        SQLException e = new SQLException("in any language", state, code);

        for (Failure failure : Failure.values()) {
            assertThat(named(dialect).failures().is(failure, e))
                    .as(failure.name())
                    .isEqualTo(failure == meant);
        }
    }

    @Test
    void an_exception_without_a_state_means_nothing() {
        for (Failure failure : Failure.values()) {
            assertThat(Failures.STANDARD.is(failure, new SQLException())).isFalse();
        }
    }

    @Test
    void only_on_postgresql_a_failed_statement_ends_its_transaction() {
        assertThat(ALL.stream()
                        .filter(dialect -> dialect.failures().endsTransaction())
                        .map(Dialect::name))
                .containsExactly("postgresql");
    }

    /** What somebody gets who writes no more than a name. */
    @Test
    void the_portable_dialect_promises_nothing() throws SQLException {
        Dialect portable = Dialect.PORTABLE;
        assertThat(portable.time(TableName.DEFAULT)).isNull();
        assertThat(portable.recordTime()).isNull();
        assertThat(portable.supportsUrl("jdbc:h2:mem:")).isFalse();
        assertThat(portable.ownIsolation(Connection.TRANSACTION_SERIALIZABLE)).isEqualTo(OwnIsolation.AS_IT_IS);
        assertThat(portable.capabilities().updatesReturning()).isFalse();
        assertThat(portable.capabilities().upsert()).isEqualTo(Capabilities.Upsert.NONE);
        assertThat(portable.locking().limitsStatements()).isFalse();
        assertThat(portable.hints().index("i")).isEmpty();
        try (Connection conn = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(portable.locking().claim(conn)).isEqualTo(" FOR UPDATE");
        }
        assertThatThrownBy(() -> portable.relayLock(new HikariDataSource(), TableName.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No relay lock for database \"portable\"");
    }
}
