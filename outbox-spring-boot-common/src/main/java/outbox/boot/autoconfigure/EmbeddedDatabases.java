package outbox.boot.autoconfigure;

import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;

/** Tells databases that live and end with this process from others. */
final class EmbeddedDatabases {

    private EmbeddedDatabases() {}

    /** Whether missing tables are to be created there. */
    static boolean wants(SchemaInitialization initialize, DataSource dataSource) {
        return switch (initialize) {
            case ALWAYS -> true;
            case NEVER -> false;
            case EMBEDDED -> EmbeddedDatabaseConnection.isEmbedded(dataSource);
        };
    }
}
