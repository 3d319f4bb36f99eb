package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/**
 * What one database does differently. Stores, purgers, relay locks and the inbox ask it; none of them asks for a database's name.
 * Everything but {@link #name()} and {@link #urlPrefixes()} has a default that every database understands. Implementations are immutable.
 */
public interface Dialect {

    /** What every database understands, for a store that says nothing else of its own. Has neither leases nor order. */
    Dialect PORTABLE = new Dialect() {
        @Override
        public String name() {
            return "portable";
        }

        @Override
        public List<String> urlPrefixes() {
            return List.of();
        }
    };

    /** The name, in lower case; that of the schema scripts as well. */
    String name();

    /** The jar with the schema scripts of this database, for messages; null, the default, if outbox-jdbc and outbox-inbox have them. */
    default @Nullable String scriptsIn() {
        return null;
    }

    /** The beginnings of the JDBC URLs of this database, in lower case. */
    List<String> urlPrefixes();

    /** Whether a JDBC URL is one of this database. */
    default boolean supportsUrl(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        return urlPrefixes().stream().anyMatch(lower::startsWith);
    }

    /** Whether this is the dialect of the database that was connected to. By default asks its URL. */
    default boolean supports(DatabaseMetaData database) throws SQLException {
        String url = database.getURL();
        return url != null && supportsUrl(url);
    }

    /** The time of the database for the columns of that table; null, the default, if it cannot be asked for: then there are no leases. */
    default @Nullable DatabaseTime time(TableName table) {
        return null;
    }

    /** The time of the database for consume records; null, the default, if it cannot be asked for: then there is no inbox. */
    default @Nullable RecordTime recordTime() {
        return null;
    }

    /** How values are bound and read. */
    default Binding binding() {
        return Binding.STANDARD;
    }

    /** How rows are locked. */
    default Locking locking() {
        return Locking.STANDARD;
    }

    /** What the optimizer is told. */
    default Hints hints() {
        return Hints.NONE;
    }

    /** What can be done in one statement. */
    default Capabilities capabilities() {
        return Capabilities.PORTABLE;
    }

    /** What exceptions mean. */
    default Failures failures() {
        return Failures.STANDARD;
    }

    /** What a preflight asks. */
    default Probes probes() {
        return Probes.NONE;
    }

    /**
     * The level of the outbox's own transactions on connections that come with the given one, as in {@link java.sql.Connection}. By default
     * they are left as they are.
     */
    default OwnIsolation ownIsolation(int level) {
        return OwnIsolation.AS_IT_IS;
    }

    /**
     * A lock for those that deliver the events of one table.
     *
     * @throws IllegalArgumentException if the database has none; the default
     */
    default RelayLock relayLock(DataSource dataSource, TableName table) {
        throw new IllegalArgumentException("No relay lock for database \"" + name()
                + "\"; override relayLock in its dialect, or implement RelayLock");
    }
}
