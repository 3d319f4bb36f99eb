package outbox.jdbc.store;

import java.util.Objects;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.jdbc.dialect.Dialect;

/**
 * Says how a table gets what a newer version of it has.
 *
 * @param database in the names of its scripts
 */
record SchemaUpgrade(TableName table, String database, String jar) {

    static SchemaUpgrade of(TableName table, String database, Dialect dialect) {
        return new SchemaUpgrade(table, database, Objects.requireNonNullElse(dialect.scriptsIn(), "outbox-jdbc"));
    }

    /** The script of a version, and other ways to apply it; a database of somebody else may come without versions. */
    String to(int version) {
        SchemaVersions versions = OutboxSchema.versions(database);
        if (!versions.has(version)) {
            return "apply " + OutboxSchema.resource(database) + " from " + jar;
        }
        int from = version - 1;
        return "apply " + versions.resource(version) + " from " + jar + " (also printed by ./outbox schema --db "
                + database
                + " --table " + table + " --from " + from + ", and applied by OutboxSchema.migrate(conn, \"" + database
                + "\", table, " + from + "))";
    }
}
