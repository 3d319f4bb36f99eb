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

    @Override
    public Hints hints() {
        return new ForcedIndexes() {

            /**
             * In the form for several tables, because that of one takes no hint. A limit does not help here: a small table is read as a whole
             * all the same. MySQL on the other hand takes no notice of the hint in this form.
             */
            @Override
            public String delete(String table, String condition, int events) {
                return "DELETE event FROM " + table + " AS event" + primaryKey() + " WHERE " + condition;
            }
        };
    }
}
