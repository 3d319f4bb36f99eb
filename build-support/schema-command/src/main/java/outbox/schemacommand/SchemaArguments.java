package outbox.schemacommand;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;

/** What {@code ./outbox schema} was asked for, read and checked. */
final class SchemaArguments {

    static final String ORDERED = "--ordered";
    static final String TENANT = "--tenant-index";
    static final String CURSOR = "--cursor-index";
    static final String NOTIFY = "--notify";

    private static final List<String> DATABASES = List.of("postgresql", "mysql", "mariadb", "h2", "sqlite");

    private String database = "";
    private @Nullable TableName table;
    private boolean inbox;
    private @Nullable Integer from;
    private @Nullable Integer down;
    private final List<String> extras = new ArrayList<>();

    private SchemaArguments() {}

    /**
     * Reads the arguments.
     *
     * @throws IllegalArgumentException if they make no sense; the message names the option and the way out
     */
    static SchemaArguments read(List<String> args) {
        SchemaArguments arguments = new SchemaArguments();
        for (int i = 0; i < args.size(); i++) {
            String option = args.get(i);
            switch (option) {
                case "--db" -> arguments.database = knownDatabase(value(args, ++i, option));
                case "--table" -> arguments.table = tableName(value(args, ++i, option));
                case "--inbox" -> arguments.inbox = true;
                case "--from", "--from-version" -> arguments.from = number(option, value(args, ++i, option));
                case "--down" -> arguments.down = number(option, value(args, ++i, option));
                case ORDERED, TENANT, CURSOR, NOTIFY -> arguments.extras.add(option);
                default ->
                    throw new IllegalArgumentException(
                            "unknown argument \"" + option + "\"; see below for what there is");
            }
        }
        arguments.check();
        return arguments;
    }

    private static String value(List<String> args, int index, String option) {
        require(index < args.size(), option + " needs a value behind it");
        return args.get(index);
    }

    private static String knownDatabase(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        require(DATABASES.contains(lower), "--db must be one of " + DATABASES + ", was \"" + name + "\"");
        return lower;
    }

    private static TableName tableName(String name) {
        int dot = name.indexOf('.');
        try {
            return dot < 0 ? TableName.of(name) : TableName.of(name.substring(0, dot), name.substring(dot + 1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--table must be NAME or SCHEMA.NAME, each of letters, digits and underscores and not beginning with a digit, was \""
                            + name + "\"",
                    e);
        }
    }

    private static int number(String option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " must be a number, was \"" + text + "\"", e);
        }
    }

    private void check() {
        require(!database.isEmpty(), "--db is missing; give one of " + DATABASES);
        require(
                !extras.contains(NOTIFY) || database.equals("postgresql"),
                "--notify works on postgresql only, but --db is " + database);
        require(
                !extras.contains(TENANT) || !database.equals("sqlite"),
                "--tenant-index is not there for sqlite; leave it out");
        require(
                !extras.contains(CURSOR) || List.of("postgresql", "h2").contains(database),
                "--cursor-index is for postgresql and h2; the table of " + database
                        + " has such an index, leave it out");
        require(
                !inbox || extras.isEmpty(),
                "--inbox prints the inbox's table, which has no " + String.join(", ", extras)
                        + "; leave one of them out, and print the outbox's table by itself");
        require(from == null || down == null, "--from leads up and --down leads down; leave one of them out");
        require(
                down == null || extras.isEmpty() || extras.equals(List.of(ORDERED)),
                "--down takes a version back, and " + String.join(", ", extras)
                        + " is not among the versions; only --ordered can be given with it");
        int newest = versions().newest();
        require(
                from == null || (from >= 0 && from <= newest),
                "--from must be between 0 (no table yet) and " + newest + " (the newest), was " + from);
        require(
                down == null || (down >= 1 && down <= newest),
                "--down must be between 1 and " + newest + " (the newest), was " + down);
    }

    private static void require(boolean right, String message) {
        if (!right) {
            throw new IllegalArgumentException(message);
        }
    }

    String database() {
        return database;
    }

    TableName table() {
        if (table != null) {
            return table;
        }
        return inbox ? InboxSchema.DEFAULT_TABLE : TableName.DEFAULT;
    }

    boolean inbox() {
        return inbox;
    }

    /** The version to lead up from, or null for the whole table. */
    @Nullable
    Integer from() {
        return from;
    }

    /** The version to take back, or null for none. */
    @Nullable
    Integer down() {
        return down;
    }

    /** What is wanted beside the table, as options. */
    List<String> extras() {
        return List.copyOf(extras);
    }

    /** The versions that are meant: of the inbox, of the outbox or, on the way down, of its index for order. */
    SchemaVersions versions() {
        if (inbox) {
            return InboxSchema.versions(database);
        }
        return OutboxSchema.versions(down != null && extras.contains(ORDERED) ? database + "-ordered" : database);
    }
}
