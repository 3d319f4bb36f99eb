package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;

/** MySQL 8 and TiDB. */
public final class MySqlDialect implements MySqlFamily {

    /** Has no settings. */
    public MySqlDialect() {}

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public List<String> urlPrefixes() {
        return List.of("jdbc:mysql:", "jdbc:tidb:");
    }

    @Override
    public boolean supports(DatabaseMetaData database) throws SQLException {
        return MySqlServers.include(database) && !MySqlServers.isMariaDb(database);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities() {
            @Override
            public Upsert upsert() {
                return Upsert.ON_DUPLICATE_KEY;
            }
        };
    }
}
