package outbox.jdbc.store;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.util.DefaultJsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JdbcOutboxStoresTest {

    @Test
    void all_four_dialects_are_registered() {
        assertThat(JdbcOutboxStores.all())
                .extracting(AbstractJdbcOutboxStore::name)
                .containsExactlyInAnyOrder("h2", "postgresql", "mysql", "mariadb");
    }

    @Test
    void a_store_is_found_by_name_in_any_case() {
        assertThat(JdbcOutboxStores.get("PostgreSQL")).isInstanceOf(PostgresOutboxStore.class);
        assertThatThrownBy(() -> JdbcOutboxStores.get("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Unknown outbox store: oracle; known are [");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:x, h2",
        "jdbc:postgresql://localhost/db, postgresql",
        "jdbc:mysql://localhost/db, mysql",
        "JDBC:MySQL://localhost/db, mysql",
        "jdbc:tidb://localhost/db, mysql",
        "jdbc:mariadb://localhost/db, mariadb"
    })
    void a_store_is_found_by_url(String url, String name) {
        assertThat(JdbcOutboxStores.detect(url).name()).isEqualTo(name);
        assertThat(JdbcOutboxStores.detect(url)).isSameAs(JdbcOutboxStores.get(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:oracle:thin:scott/s3cret@host",
                "jdbc:oracle:thin:scott/s3cret@//h/x",
                "jdbc:oracle:thin:scott/s3/cret@//h/x",
                "jdbc:oracle:thin://scott:s3cret@host/x?password=s3cret",
                "jdbc:oracle:thin://u:s3cret/w@h",
                "jdbc:oracle:thin://u:p@s3cret@h",
                "jdbc:oracle:thin://h/DATABASE=a,PASSWORD=s3cret",
                "jdbc:oracle:thin://h:50000/db:user=u;password=s3cret;",
                "jdbc:oracle:thin:db:password=s3cret;",
                "jdbc:oracle:thin:;password=s3cret",
                "jdbc:oracle:thin:x?a=b\nSEVERE: s3cret"
            })
    void an_unknown_url_is_named_by_its_driver_alone(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No outbox store found for jdbc:oracle:thin:…; known are [")
                .hasMessageNotContainingAny("s3", "cret", "\n");
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url, new DefaultJsonCodec()))
                .hasMessageNotContainingAny("s3", "cret", "\n");
        assertThatThrownBy(() -> JdbcOutboxStores.detect(dataSource(url, "Oracle", "19")))
                .hasMessageNotContainingAny("s3", "cret", "\n");
        assertThatThrownBy(() -> JdbcOutboxStores.get(url))
                .hasMessageStartingWith("Unknown outbox store: jdbc:oracle:thin:…; known are [")
                .hasMessageNotContainingAny("s3", "cret", "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:teradata://h/DATABASE=a,PASSWORD=s3cret", "jdbc:db2:sample:user=u;password=s3cret;"})
    void the_drivers_of_other_databases_hide_their_passwords_elsewhere(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url)).hasMessageNotContaining("s3cret");
    }

    @Test
    void a_line_break_before_the_driver_is_not_shown_either() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect("\nSEVERE: forged jdbc:h2:mem:x"))
                .hasMessageStartingWith(
                        "No outbox store found for a URL that does not begin with jdbc: and a database;");
        assertThatThrownBy(() -> JdbcOutboxStores.get("h3\nSEVERE"))
                .hasMessageStartingWith("Unknown outbox store: h3\\nSEVERE; known");
    }

    @Test
    void no_url_is_an_illegal_argument() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect((String) null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("jdbcUrl must not be null");
        assertThatThrownBy(() -> JdbcOutboxStores.detect((String) null, new DefaultJsonCodec()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_codec_makes_a_new_store() {
        DefaultJsonCodec codec = new DefaultJsonCodec();

        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect("jdbc:h2:mem:x", codec);

        assertThat(store).isInstanceOf(H2OutboxStore.class).isNotSameAs(JdbcOutboxStores.get("h2"));
        assertThat(store.codec()).isSameAs(codec);
        assertThat(JdbcOutboxStores.detect(h2(), codec).codec()).isSameAs(codec);
    }

    @Test
    void a_table_makes_a_new_store() {
        assertThat(JdbcOutboxStores.on(h2(), TableName.of("org_outbox")).table())
                .hasToString("org_outbox");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://h/db, MySQL, 8.0.33, mysql",
        "jdbc:mysql://h/db, MySQL, 8.0.11-TiDB-v7.5.0, mysql",
        "jdbc:mysql://h/db, MySQL, 11.4.5-MariaDB-log, mariadb",
        "jdbc:mariadb://h/db, MariaDB, 11.4.5-MariaDB, mariadb",
        "jdbc:mariadb://h/db, MySQL, 8.0.33, mysql",
        "jdbc:wrapper:postgresql://h/db, PostgreSQL, 18.0, postgresql",
        "jdbc:wrapper:mysql://h/db, MySQL, 5.5.5-10.11.6-MariaDB, mariadb",
        "jdbc:h2:mem:x, H2, 2.4.240, h2"
    })
    void the_server_decides_not_the_driver(String url, String product, String version, String name) {
        assertThat(JdbcOutboxStores.detect(dataSource(url, product, version)).name())
                .isEqualTo(name);
    }

    @Test
    void a_data_source_of_an_unknown_database_is_refused() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(dataSource("jdbc:derby:memory:x", "Apache Derby", "10")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No outbox store found for jdbc:derby:memory:…");
        assertThatThrownBy(() -> JdbcOutboxStores.detect(dataSource(null, "Unknown", null)))
                .hasMessageStartingWith("No outbox store found for an unknown URL");
    }

    @Test
    void a_data_source_that_cannot_connect_is_reported() {
        DataSource closed = stub(DataSource.class, name -> {
            throw new SQLException("closed");
        });
        assertThatThrownBy(() -> JdbcOutboxStores.detect(closed))
                .isInstanceOf(OutboxStoreException.class)
                .hasCauseInstanceOf(SQLException.class);
    }

    private static DataSource h2() {
        return stub(DataSource.class, name -> DriverManager.getConnection("jdbc:h2:mem:"));
    }

    /** A data source that answers nothing but who it is. */
    private static DataSource dataSource(String url, String product, String version) {
        DatabaseMetaData metaData = stub(DatabaseMetaData.class, name -> switch (name) {
            case "getURL" -> url;
            case "getDatabaseProductName" -> product;
            case "getDatabaseProductVersion" -> version;
            default -> throw new UnsupportedOperationException(name);
        });
        Connection conn = stub(Connection.class, name -> name.equals("getMetaData") ? metaData : null);
        return stub(DataSource.class, name -> conn);
    }

    private interface Answers {
        Object to(String method) throws SQLException;
    }

    private static <T> T stub(Class<T> type, Answers answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answers.to(method.getName())));
    }
}
