package outbox.jdbc.dialect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import outbox.jdbc.OwnIsolation;
import outbox.jdbc.TableName;
import outbox.spi.RelayLock;

/** MySQL 8 and TiDB. */
public final class MySqlDialect implements Dialect {

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
        return MySqlFamily.has(database) && !MySqlFamily.isMariaDb(database);
    }

    @Override
    public DatabaseTime time(TableName table) {
        return MySqlFamily.TIME;
    }

    @Override
    public RecordTime recordTime() {
        return MySqlFamily.RECORD_TIME;
    }

    @Override
    public Locking locking() {
        return MySqlFamily.LOCKING;
    }

    @Override
    public Hints hints() {
        return MySqlFamily.HINTS;
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

    @Override
    public Failures failures() {
        return MySqlFamily.FAILURES;
    }

    @Override
    public OwnIsolation ownIsolation(int level) {
        return MySqlFamily.ownIsolation(level);
    }

    @Override
    public RelayLock relayLock(DataSource dataSource, TableName table) {
        return new MySqlRelayLock(dataSource, table);
    }
}
