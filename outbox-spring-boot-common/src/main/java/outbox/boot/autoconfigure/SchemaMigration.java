package outbox.boot.autoconfigure;

import javax.sql.DataSource;
import outbox.jdbc.TableName;

/** Brings the tables of an outbox up to date before it is built, by the tool that the application has. */
interface SchemaMigration {

    void bringUpToDate(DataSource dataSource, TableName table, OutboxSettings settings);
}
