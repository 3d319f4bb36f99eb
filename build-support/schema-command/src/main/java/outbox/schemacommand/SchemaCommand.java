package outbox.schemacommand;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.OutboxSchema;

/** Prints the DDL of outbox and inbox tables: what {@code ./outbox schema} runs. */
final class SchemaCommand {

    static final String USAGE = """
            Usage: ./outbox schema --db DATABASE [--inbox] [--table NAME] [--from N | --down N] [OPTION...]

            Prints the DDL of an outbox or inbox table, to be applied by hand or saved as a migration.

              --db DATABASE       postgresql, mysql, mariadb, h2 or sqlite
              --inbox             the consumer's table instead of the outbox
              --table NAME        the table, also SCHEMA.TABLE; letters, digits and underscores
                                  (default: outbox_event, with --inbox event_consume_record)
              --from N            only what a table of version N lacks, up to the newest; 0 means no table yet
                                  (--from-version is the same)
              --down N            what takes version N back; read its warning first
              --ordered           also the index for delivery in order; with --down only that index
              --tenant-index      also the index that finds the backlog of a tenant (not sqlite)
              --cursor-index      also the index that finds events by seq (postgresql and h2; the others have it)
              --notify            also the trigger that wakes pollers up (postgresql only)

            Versions of the outbox's table: 1 the fifteen columns, 2 seq and the table of nodes, 3 default times.
            Of the index for order: 1. Of the inbox's table: 1.

            Examples:
              ./outbox schema --db postgresql                              the whole table
              ./outbox schema --db mysql --table billing.org_outbox --from 1     upgrade a table of the first version
              ./outbox schema --db postgresql --down 3                     from version 3 back to version 2
              ./outbox schema --db mariadb --inbox                         the consumer's table
            """;

    private static final Map<String, String> SCRIPT_OF_EXTRA = Map.of(
            SchemaArguments.ORDERED,
            "-ordered",
            SchemaArguments.TENANT,
            "-tenant",
            SchemaArguments.CURSOR,
            "-cursor",
            SchemaArguments.NOTIFY,
            "-notify");

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
            out.print(String.join("\n", scripts(SchemaArguments.read(args))));
            return 0;
        } catch (IllegalArgumentException e) {
            err.println("outbox schema: " + e.getMessage());
            err.println();
            err.print(USAGE);
            return 2;
        }
    }

    private static List<String> scripts(SchemaArguments wanted) {
        Integer down = wanted.down();
        if (down != null) {
            return wanted.versions().downScripts(wanted.table(), down, down - 1);
        }
        Integer from = wanted.from();
        List<String> scripts = new ArrayList<>(
                from == null ? List.of(whole(wanted)) : wanted.versions().scripts(wanted.table(), from));
        for (String extra : wanted.extras()) {
            scripts.add(OutboxSchema.script(wanted.database() + SCRIPT_OF_EXTRA.get(extra), wanted.table()));
        }
        return scripts;
    }

    private static String whole(SchemaArguments wanted) {
        return wanted.inbox()
                ? InboxSchema.script(wanted.database(), wanted.table())
                : OutboxSchema.script(wanted.database(), wanted.table());
    }
}
