package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.JdbcUrl;
import outbox.internal.text.StoredText;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;
import outbox.util.JsonCodec;

/**
 * Finds the store for a database among those registered with {@link ServiceLoader} under {@link AbstractJdbcOutboxStore}.
 */
public final class JdbcOutboxStores {

    private static final List<AbstractJdbcOutboxStore> ALL = load();

    private JdbcOutboxStores() {}

    /** All registered stores, on the table {@code outbox_event}. */
    public static List<AbstractJdbcOutboxStore> all() {
        return ALL;
    }

    /**
     * The store of that name, in upper or lower case.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static AbstractJdbcOutboxStore get(String name) {
        Objects.requireNonNull(name, "name");
        return first(
                store -> store.name().equalsIgnoreCase(name),
                () -> "Unknown outbox store: " + (name.contains(":") ? JdbcUrl.shown(name) : StoredText.inOneLine(name))
                        + "; known are " + names());
    }

    /**
     * The store for a JDBC URL.
     *
     * @throws IllegalArgumentException if there is none, or the URL is null
     */
    public static AbstractJdbcOutboxStore detect(@Nullable String jdbcUrl) {
        if (jdbcUrl == null) {
            throw new IllegalArgumentException(
                    "jdbcUrl must not be null; give a URL such as jdbc:postgresql://host/db");
        }
        return first(store -> store.supportsUrl(jdbcUrl), () -> notFoundFor(jdbcUrl));
    }

    /** As {@link #detect(String)}, a new store that writes headers with the given codec. */
    public static AbstractJdbcOutboxStore detect(@Nullable String jdbcUrl, JsonCodec codec) {
        Objects.requireNonNull(codec, "codec");
        return withCodec(detect(jdbcUrl), codec);
    }

    /**
     * The store for the database behind the data source; asks the server itself, so that MariaDB is recognised behind MySQL's
     * driver and the other way round.
     *
     * @throws IllegalArgumentException if there is none
     * @throws OutboxStoreException if the database cannot be asked
     */
    public static AbstractJdbcOutboxStore detect(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        try (Connection conn = dataSource.getConnection()) {
            DatabaseMetaData database = conn.getMetaData();
            for (AbstractJdbcOutboxStore store : ALL) {
                if (store.supports(database)) {
                    return store;
                }
            }
            throw new IllegalArgumentException(notFoundFor(database.getURL()));
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot ask the data source which database it connects to; who begins before the database is there names it:"
                            + " JdbcOutbox.builder(dataSource, table, \"postgresql\"), or another of " + names(),
                    e);
        }
    }

    /** As {@link #detect(DataSource)}, a new store that writes headers with the given codec. */
    public static AbstractJdbcOutboxStore detect(DataSource dataSource, JsonCodec codec) {
        Objects.requireNonNull(codec, "codec");
        return withCodec(detect(dataSource), codec);
    }

    /** As {@link #detect(DataSource)}, a new store on the given table, which may be in a schema of its own. */
    public static AbstractJdbcOutboxStore on(DataSource dataSource, TableName table) {
        Objects.requireNonNull(table, "table");
        return detect(dataSource).newInstance(table, JsonCodec.getDefault());
    }

    /** The dialect of a database; {@link Dialect#PORTABLE} for one without a store. */
    static Dialect dialectOf(DatabaseMetaData database) throws SQLException {
        for (AbstractJdbcOutboxStore store : ALL) {
            if (store.supports(database)) {
                return store.dialect();
            }
        }
        return Dialect.PORTABLE;
    }

    private static AbstractJdbcOutboxStore withCodec(AbstractJdbcOutboxStore store, JsonCodec codec) {
        return store.newInstance(store.table(), codec);
    }

    private static AbstractJdbcOutboxStore first(
            Predicate<AbstractJdbcOutboxStore> wanted, Supplier<String> otherwise) {
        return ALL.stream().filter(wanted).findFirst().orElseThrow(() -> new IllegalArgumentException(otherwise.get()));
    }

    private static String notFoundFor(@Nullable String url) {
        return "No outbox store found for " + JdbcUrl.shown(url) + "; known are " + names()
                + ", and others can be registered as a service " + AbstractJdbcOutboxStore.class.getName();
    }

    private static List<String> names() {
        return ALL.stream().map(AbstractJdbcOutboxStore::name).toList();
    }

    private static List<AbstractJdbcOutboxStore> load() {
        return ServiceLoader.load(AbstractJdbcOutboxStore.class, JdbcOutboxStores.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
