package outbox.jdbc.store;

import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.dialect.Binding;

/** Finds columns of a type that cannot hold what the outbox puts into them. In doubt a type will do: databases have many of their own. */
final class ColumnTypes {

    private static final Set<Integer> NUMBERS = Set.of(
            Types.BIT,
            Types.BOOLEAN,
            Types.TINYINT,
            Types.SMALLINT,
            Types.INTEGER,
            Types.BIGINT,
            Types.NUMERIC,
            Types.DECIMAL);
    private static final Set<Integer> FRACTIONS = Set.of(Types.REAL, Types.FLOAT, Types.DOUBLE);
    private static final Set<Integer> TEXTS = Set.of(
            Types.CHAR,
            Types.VARCHAR,
            Types.LONGVARCHAR,
            Types.NCHAR,
            Types.NVARCHAR,
            Types.LONGNVARCHAR,
            Types.CLOB,
            Types.NCLOB);
    private static final Set<Integer> TIMES = Set.of(Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE);
    private static final Set<Integer> PARTS_OF_TIMES = Set.of(Types.DATE, Types.TIME, Types.TIME_WITH_TIMEZONE);
    private static final Set<Integer> BYTES = Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);

    private static final Set<String> TIME_COLUMNS = Set.of("available_at", "created_at", "done_at", "locked_at");
    private static final Set<String> NUMBER_COLUMNS = Set.of("status", "attempts", JdbcOrderedStore.SEQ);

    private final boolean timesAreNumbers;

    ColumnTypes(Binding binding) {
        this.timesAreNumbers = binding.time(Instant.EPOCH) instanceof Number;
    }

    /** Each with the rule and the type that was found. */
    List<String> wrong(Map<String, TableColumns.Type> columns) {
        List<String> wrong = new ArrayList<>();
        columns.forEach((name, type) -> {
            if (SchemaCheck.COLUMNS.contains(name) || NUMBER_COLUMNS.contains(name)) {
                addIfWrong(wrong, name, type);
            }
        });
        return wrong;
    }

    private void addIfWrong(List<String> wrong, String column, TableColumns.Type type) {
        if (TIME_COLUMNS.contains(column) && !timesAreNumbers) {
            add(
                    wrong,
                    column,
                    type,
                    "a timestamp",
                    isOneOf(type, List.of(NUMBERS, FRACTIONS, TEXTS, PARTS_OF_TIMES, BYTES)));
        } else if (TIME_COLUMNS.contains(column) || NUMBER_COLUMNS.contains(column)) {
            add(
                    wrong,
                    column,
                    type,
                    "a whole number",
                    isOneOf(type, List.of(FRACTIONS, TEXTS, TIMES, PARTS_OF_TIMES, BYTES)));
        } else {
            add(
                    wrong,
                    column,
                    type,
                    "a text",
                    isOneOf(type, List.of(NUMBERS, FRACTIONS, TIMES, PARTS_OF_TIMES, BYTES)));
        }
    }

    private static boolean isOneOf(TableColumns.Type type, List<Set<Integer>> kinds) {
        return kinds.stream().anyMatch(kind -> kind.contains(type.code()));
    }

    private static void add(List<String> wrong, String column, TableColumns.Type type, String rule, boolean isWrong) {
        if (isWrong) {
            wrong.add("column \"" + column + "\" must be " + rule + ", is " + type.name());
        }
    }
}
