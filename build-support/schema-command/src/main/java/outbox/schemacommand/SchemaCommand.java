package outbox.schemacommand;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;

/** Prints the DDL of an outbox table: what {@code ./outbox schema} runs. */
final class SchemaCommand {

    static final String USAGE = """
            Usage: ./outbox schema --db DATABASE [--table NAME] [OPTION...]

            Prints the DDL of an outbox table, to be applied by hand or saved as a migration.

              --db DATABASE       postgresql, mysql, mariadb or h2
              --table NAME        the table, also SCHEMA.TABLE; letters, digits and underscores (default: outbox_event)
              --from-version N    only what a table of version N lacks: 0 no table yet, 1 the fifteen columns without seq
              --ordered           also the index for delivery in order
              --tenant-index      also the index that finds the backlog of a tenant
              --notify            also the trigger that wakes pollers up (postgresql only)
            """;

    private static final List<String> DATABASES = List.of("postgresql", "mysql", "mariadb", "h2");

    private String database = "";
    private TableName table = TableName.DEFAULT;
    private @Nullable Integer fromVersion;
    private final List<String> extras = new ArrayList<>();

    private SchemaCommand() {}

    public static void main(String[] args) {
        System.exit(run(List.of(args), System.out, System.err));
    }

    /** Returns the exit code: 0, or 2 if the arguments are not right. */
    static int run(List<String> args, PrintStream out, PrintStream err) {
        if (args.contains("--help") || args.contains("-h")) {
            out.print(USAGE);
            return 0;
        }
        try {
            SchemaCommand command = new SchemaCommand();
            command.read(args);
            out.print(String.join("\n", command.scripts()));
            return 0;
        } catch (IllegalArgumentException e) {
            err.println("outbox schema: " + e.getMessage());
            err.println();
            err.print(USAGE);
            return 2;
        }
    }

    private void read(List<String> args) {
        for (int i = 0; i < args.size(); i++) {
            String option = args.get(i);
            switch (option) {
                case "--db" -> database = knownDatabase(value(args, ++i, option));
                case "--table" -> table = tableName(value(args, ++i, option));
                case "--from-version" -> fromVersion = version(value(args, ++i, option));
                case "--ordered" -> extras.add("-ordered");
                case "--tenant-index" -> extras.add("-tenant");
                case "--notify" -> extras.add("-notify");
                default -> throw new IllegalArgumentException("unknown argument \"" + option + "\"");
            }
        }
        if (database.isEmpty()) {
            throw new IllegalArgumentException("--db is missing; give one of " + DATABASES);
        }
        if (extras.contains("-notify") && !database.equals("postgresql")) {
            throw new IllegalArgumentException("--notify works on postgresql only, but --db is " + database);
        }
    }

    private static String value(List<String> args, int index, String option) {
        if (index == args.size()) {
            throw new IllegalArgumentException(option + " needs a value behind it");
        }
        return args.get(index);
    }

    private static String knownDatabase(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!DATABASES.contains(lower)) {
            throw new IllegalArgumentException("--db must be one of " + DATABASES + ", was \"" + name + "\"");
        }
        return lower;
    }

    private static TableName tableName(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? TableName.of(name) : TableName.of(name.substring(0, dot), name.substring(dot + 1));
    }

    private static int version(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--from-version must be a number, was \"" + text + "\"", e);
        }
    }

    private List<String> scripts() {
        List<String> scripts = new ArrayList<>();
        if (fromVersion == null) {
            scripts.add(OutboxSchema.script(database, table));
        } else {
            scripts.addAll(OutboxSchema.migrations(database, table, fromVersion));
        }
        extras.forEach(extra -> scripts.add(OutboxSchema.script(database + extra, table)));
        return scripts;
    }
}
