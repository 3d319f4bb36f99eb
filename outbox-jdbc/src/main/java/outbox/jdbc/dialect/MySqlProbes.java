package outbox.jdbc.dialect;

import java.util.Locale;
import java.util.Set;

/** What MySQL, TiDB and MariaDB are asked. */
final class MySqlProbes implements Probes {

    static final Probes INSTANCE = new MySqlProbes();

    private static final Set<String> WITHOUT_TRANSACTIONS =
            Set.of("myisam", "aria", "memory", "csv", "archive", "blackhole", "mrg_myisam");

    private MySqlProbes() {}

    @Override
    public String engine() {
        return "SELECT ENGINE FROM information_schema.TABLES"
                + " WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?";
    }

    @Override
    public boolean hasTransactions(String engine) {
        return !WITHOUT_TRANSACTIONS.contains(engine.toLowerCase(Locale.ROOT));
    }

    @Override
    public String idleLimitsOfLocks() {
        return "SELECT 'wait_timeout', @@wait_timeout";
    }

    /** The collation utf8mb4_bin, which the scripts name, pads texts with spaces before it compares them. */
    @Override
    public boolean ignoresSpacesBehind() {
        return true;
    }
}
