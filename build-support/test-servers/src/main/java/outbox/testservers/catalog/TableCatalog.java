package outbox.testservers.catalog;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a database knows of a table: columns with their types and defaults, indexes, checks and how it is stored. The name of the table is
 * taken out, also of the names of its indexes, so that tables with different names can be compared.
 */
public final class TableCatalog {

    /** SQLite keeps the words in which a table was created. */
    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*");

    private static final Pattern WHITE_SPACE = Pattern.compile("\\s+");

    /** SQLite adds the words of a column that is added later, with other spaces and with the commas that end lines elsewhere. */
    private static final Pattern ADDED_COLUMN = Pattern.compile(" ?, (payload_bytes BLOB|content_type TEXT)(?=[,)])");

    /** MySQL and MariaDB tell it once there are rows. */
    private static final Pattern NEXT_NUMBER = Pattern.compile(" AUTO_INCREMENT=\\d+");

    private static final Pattern INDEX = Pattern.compile("\\s*(UNIQUE )?KEY ");

    private TableCatalog() {}

    /** A table in the connection's current schema, line by line; empty if there is no such table. */
    public static List<String> of(Connection conn, String table) throws SQLException {
        CatalogQueries queries = CatalogQueries.of(conn.getMetaData().getDatabaseProductName(), table);
        if (count(conn, queries.count()) == 0) {
            return List.of();
        }
        Pattern name = Pattern.compile(Pattern.quote(table), Pattern.CASE_INSENSITIVE);
        List<String> lines = new ArrayList<>();
        for (String query : queries.describe()) {
            for (String line : rows(conn, query)) {
                lines.add(name.matcher(normal(line)).replaceAll("<table>"));
            }
        }
        return lines;
    }

    private static String normal(String line) {
        String bare = NEXT_NUMBER
                .matcher(COMMENT.matcher(withSortedIndexes(line)).replaceAll(""))
                .replaceAll("");
        String spaced = ADDED_COLUMN.matcher(bare).replaceAll(" $1 ");
        return WHITE_SPACE.matcher(spaced).replaceAll(" ");
    }

    /** MySQL and MariaDB list indexes in the order in which they were created, which does not matter. */
    private static String withSortedIndexes(String text) {
        List<String> lines = new ArrayList<>();
        List<String> indexes = new ArrayList<>();
        text.lines()
                .map(line -> line.endsWith(",") ? line.substring(0, line.length() - 1) : line)
                .forEach(line -> (INDEX.matcher(line).lookingAt() ? indexes : lines).add(line));
        Collections.sort(indexes);
        lines.addAll(indexes);
        return String.join("\n", lines);
    }

    private static int count(Connection conn, String query) throws SQLException {
        return Integer.parseInt(rows(conn, query).get(0));
    }

    private static List<String> rows(Connection conn, String query) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    values.add(rows.getString(column));
                }
                lines.add(values.stream()
                        .map(String::valueOf)
                        .reduce((a, b) -> a + " " + b)
                        .orElseThrow());
            }
            return lines;
        }
    }
}
