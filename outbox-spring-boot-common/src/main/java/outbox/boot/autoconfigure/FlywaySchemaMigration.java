package outbox.boot.autoconfigure;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.ObjectProvider;
import outbox.internal.text.SafeLog;

/**
 * By Flyway, with a history of its own: the numbers of the application's migrations and of ours do not matter to each other. A table that was
 * made in another way, by the script in one piece for instance, is left to who made it.
 */
final class FlywaySchemaMigration implements SchemaMigration {

    private static final Logger LOG = SafeLog.of(FlywaySchemaMigration.class);
    private static final String HISTORY = "_schema_history";

    private final ObjectProvider<Flyway> flyways;

    FlywaySchemaMigration(ObjectProvider<Flyway> flyways) {
        this.flyways = flyways;
    }

    @Override
    public void bringUpToDate(DataSource dataSource, Scripts scripts) {
        if (flyways.stream().findAny().isEmpty()) {
            return;
        }
        String history = scripts.history(HISTORY);
        if (!KnownTable.isThere(dataSource, "\"" + history + "\"")
                && !KnownTable.isThere(dataSource, "`" + history + "`")
                && KnownTable.isThere(dataSource, scripts.table().toString())) {
            LOG.log(
                    Level.INFO,
                    "table " + scripts.table() + " has no history " + history
                            + ", so Flyway has not made it that way, and it is left as it is");
            return;
        }
        Flyway.configure()
                .dataSource(dataSource)
                .locations(scripts.directories().stream()
                        .map(directory -> "classpath:" + directory)
                        .toArray(String[]::new))
                .table(history)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholders(scripts.placeholders())
                .load()
                .migrate();
    }
}
