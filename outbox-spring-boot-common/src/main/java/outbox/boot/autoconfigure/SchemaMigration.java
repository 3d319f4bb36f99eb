package outbox.boot.autoconfigure;

import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import outbox.dispatch.Ordering;
import outbox.jdbc.TableName;

/** Brings a table up to date by the tool that the application has, before the table is used. */
interface SchemaMigration {

    /** Brings the table in that database to the newest version, if the application has the tool. */
    void bringUpToDate(DataSource dataSource, Scripts scripts);

    /**
     * The versioned scripts of a table.
     *
     * @param table the table
     * @param kind {@code outbox} or {@code inbox}
     * @param directories where they are among the resources
     */
    record Scripts(TableName table, String kind, List<String> directories) {

        static Scripts ofOutbox(TableName table, String database, Ordering ordering) {
            String directory = "outbox-schema/" + database;
            return new Scripts(
                    table,
                    "outbox",
                    ordering == Ordering.PER_AGGREGATE
                            ? List.of(directory, directory + "-ordered")
                            : List.of(directory));
        }

        static Scripts ofInbox(TableName table, String database) {
            return new Scripts(table, "inbox", List.of("inbox-schema/" + database));
        }

        /** What stands for the table in the scripts. */
        Map<String, String> placeholders() {
            String schema = table.schema();
            return Map.of(kind + "_table", table.table(), kind + "_schema", schema == null ? "" : schema + ".");
        }

        /** A history of its own, so that the versions of the application, whatever their numbers, do not meet ours. */
        String history(String suffix) {
            return table.table() + suffix;
        }
    }
}
