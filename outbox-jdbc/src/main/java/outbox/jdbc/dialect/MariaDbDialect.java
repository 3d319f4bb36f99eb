package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;

/** MariaDB, through its own driver or through the one of MySQL. */
public final class MariaDbDialect implements MySqlFamily {

    /** Has no settings. */
    public MariaDbDialect() {}

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:mariadb:");
    }

    @Override
    public boolean supports(DatabaseMetaData database) throws SQLException {
        return MySqlServers.include(database) && MySqlServers.isMariaDb(database);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities() {
            @Override
            public boolean insertsReturning() {
                return true;
            }

            @Override
            public Upsert upsert() {
                return Upsert.ON_DUPLICATE_KEY;
            }
        };
    }
}
