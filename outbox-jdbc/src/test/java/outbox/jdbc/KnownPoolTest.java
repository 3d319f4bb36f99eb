package outbox.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.PreflightFinding;
import outbox.poller.OutboxPoller;
import outbox.spi.RelayLock;
import outbox.spi.WakeUpSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The sizes of pools, and what is found about them before an outbox starts. */
class KnownPoolTest {

    private static final String URL = "jdbc:h2:mem:pools;DB_CLOSE_DELAY=-1";

    private static OptionalInt sizeOf(DataSource dataSource) {
        return new DataSourceConnectionProvider(dataSource).maxConnections();
    }

    private static HikariDataSource hikari(int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(URL);
        pool.setMaximumPoolSize(size);
        return pool;
    }

    /** By reflection: the compiler would want to see the management classes that some of them use. */
    private static DataSource pool(String type, String setter, int size) throws Exception {
        DataSource pool = Class.forName(type)
                .asSubclass(DataSource.class)
                .getConstructor()
                .newInstance();
        pool.getClass().getMethod(setter, int.class).invoke(pool, size);
        return pool;
    }

    @Test
    void the_sizes_of_common_pools_are_known() throws Exception {
        try (HikariDataSource hikari = hikari(7);
                AgroalDataSource agroal = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                        .connectionPoolConfiguration(pool ->
                                pool.maxSize(5).connectionFactoryConfiguration(factory -> factory.jdbcUrl(URL))))) {
            String dbcp = "org.apache.commons.dbcp2.BasicDataSource";
            assertThat(sizeOf(hikari)).hasValue(7);
            assertThat(sizeOf(agroal)).hasValue(5);
            assertThat(sizeOf(pool(dbcp, "setMaxTotal", 6))).hasValue(6);
            assertThat(sizeOf(pool("com.mchange.v2.c3p0.ComboPooledDataSource", "setMaxPoolSize", 4)))
                    .hasValue(4);
            assertThat(sizeOf(pool("org.apache.tomcat.jdbc.pool.DataSource", "setMaxActive", 3)))
                    .hasValue(3);
            assertThat(sizeOf(pool(dbcp, "setMaxTotal", -1))).as("no limit").isEmpty();
            assertThat(sizeOf(new JdbcDataSource())).as("no pool").isEmpty();
        }
    }

    @Test
    void a_pool_behind_a_wrapper_is_found_and_is_the_same_pool() {
        try (HikariDataSource hikari = hikari(7)) {
            DataSource wrapper = (DataSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                        return switch (method.getName()) {
                            case "isWrapperFor" -> ((Class<?>) args[0]).isInstance(hikari);
                            case "unwrap" -> hikari;
                            default -> method.invoke(hikari, args);
                        };
                    });
            assertThat(sizeOf(wrapper)).hasValue(7);
            assertThat(new DataSourceConnectionProvider(wrapper).source())
                    .isSameAs(new DataSourceConnectionProvider(hikari).source());
        }
    }

    /** Holds a connection of a data source, as those of PostgreSQL and MySQL do. */
    private record Keeper(DataSource dataSource) implements RelayLock, WakeUpSource {

        @Override
        public boolean tryHold() {
            return true;
        }

        @Override
        public void start(Runnable wakeUp) {}

        @Override
        public Object holdsConnectionOf() {
            return new DataSourceConnectionProvider(dataSource).source();
        }

        @Override
        public void close() {}
    }

    private static List<PreflightFinding> findings(DataSource pool, DataSource ofKeepers) throws Exception {
        try (var conn = pool.getConnection()) {
            OutboxSchema.create(conn, "h2", TableName.DEFAULT);
        }
        try (Outbox outbox = JdbcOutbox.builder(pool, new ThreadLocalTxContext())
                .listener("Paid", (EventEnvelope event) -> {})
                .claimLocking(java.time.Duration.ofMinutes(1))
                .singleActive(new Keeper(ofKeepers))
                .poller((OutboxPoller.Builder settings) -> settings.wakeUpSource(new Keeper(ofKeepers)))
                .build()) {
            return outbox.preflight().findings();
        }
    }

    @Test
    void a_pool_of_two_is_too_small_for_single_active_and_wake_ups() throws Exception {
        try (HikariDataSource two = hikari(2);
                HikariDataSource four = hikari(4);
                HikariDataSource five = hikari(5);
                HikariDataSource seven = hikari(7)) {
            assertThat(findings(two, two)).singleElement().satisfies(finding -> {
                assertThat(finding.refuses()).isTrue();
                assertThat(finding.toString())
                        .startsWith("[connections] The pool has at most 2 connection(s), of which 2 are kept")
                        .contains("none is left for claims, outcomes, renewals of leases, the look for events of joined"
                                + " transactions, the purge")
                        .contains("give it at least 7");
            });
            assertThat(findings(four, four)).singleElement().matches(finding -> !finding.refuses());
            assertThat(findings(seven, seven)).isEmpty();
            assertThat(findings(five, two)).as("kept from another pool").isEmpty();
        }
    }

    /** Of who keeps connections those are named that there are, and nobody is told to move what is not there. */
    @Test
    void who_keeps_connections_is_named() throws Exception {
        try (HikariDataSource one = hikari(1);
                HikariDataSource other = hikari(9)) {
            assertThat(findings(one, other)).singleElement().satisfies(finding -> {
                assertThat(finding.refuses()).isFalse();
                assertThat(finding.message())
                        .startsWith("The pool has at most 1 connection(s): claims, outcomes")
                        .endsWith("give it at least 5 beside those of the application and of BacklogGauges")
                        .doesNotContain("single active", "wake-ups", "kept");
            });
        }
    }
}
