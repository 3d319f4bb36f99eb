package outbox.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.jdbc.purge.H2EventPurger;
import outbox.jdbc.purge.MariaDbEventPurger;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.jdbc.store.MySqlOutboxStore;
import outbox.jdbc.store.PostgresOutboxStore;
import outbox.util.DefaultJsonCodec;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Calls of the specified signatures with literal nulls. That this compiles is half of the test: an overload of the same number of parameters
 * would make such a call ambiguous.
 */
class SpecifiedSignaturesTest {

    private static final JsonCodec CODEC = new DefaultJsonCodec();
    private static final HikariDataSource H2 = new HikariDataSource();

    @BeforeAll
    static void connect() {
        H2.setJdbcUrl("jdbc:h2:mem:signatures");
    }

    @AfterAll
    static void disconnect() {
        H2.close();
    }

    static Stream<ThrowingCallable> callsWithNull() {
        return Stream.of(
                () -> new H2OutboxStore(null),
                () -> new H2OutboxStore(null, CODEC),
                () -> new H2OutboxStore("t", null),
                () -> new MySqlOutboxStore(null),
                () -> new MySqlOutboxStore(null, CODEC),
                () -> new MySqlOutboxStore("t", null),
                () -> new MariaDbOutboxStore(null),
                () -> new MariaDbOutboxStore(null, CODEC),
                () -> new MariaDbOutboxStore("t", null),
                () -> new PostgresOutboxStore(null),
                () -> new PostgresOutboxStore(null, CODEC),
                () -> new PostgresOutboxStore("t", null),
                () -> new H2EventPurger(null),
                () -> new MySqlEventPurger(null),
                () -> new MariaDbEventPurger(null),
                () -> new PostgresEventPurger(null),
                () -> new DataSourceConnectionProvider(null),
                () -> TableNames.validate(null),
                () -> JdbcOutboxStores.get(null),
                () -> JdbcOutboxStores.detect("jdbc:h2:mem:x", null),
                () -> JdbcOutboxStores.detect(H2, null));
    }

    @ParameterizedTest
    @MethodSource("callsWithNull")
    void a_null_is_refused_at_once(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
    }

    @Test
    void a_failure_may_have_no_cause() {
        assertThat(new OutboxStoreException("message", null)).hasNoCause();
    }

    @Test
    void tables_in_schemas_of_their_own_come_from_factories() {
        TableName table = TableName.of("billing", "invoice_outbox");

        assertThat(Stream.of(
                                H2OutboxStore.on(table, CODEC),
                                MySqlOutboxStore.on(table, CODEC),
                                MariaDbOutboxStore.on(table, CODEC),
                                PostgresOutboxStore.on(table, CODEC),
                                JdbcOutboxStores.on(H2, table))
                        .map(AbstractJdbcOutboxStore::table))
                .containsOnly(table);
        assertThat(Stream.of(
                                H2EventPurger.on(table),
                                MySqlEventPurger.on(table),
                                MariaDbEventPurger.on(table),
                                PostgresEventPurger.on(table))
                        .map(purger -> purger.purgedTable()))
                .containsOnly("billing.invoice_outbox");
    }
}
