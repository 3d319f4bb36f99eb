package outbox.boot.autoconfigure;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.io.ResourceLoader;
import outbox.OutboxException;
import outbox.internal.text.SafeLog;

/** By Liquibase, with a table of change sets of its own. A table that was made in another way is left to who made it. */
final class LiquibaseSchemaMigration implements SchemaMigration {

    private static final Logger LOG = SafeLog.of(LiquibaseSchemaMigration.class);
    private static final String HISTORY = "_changelog";

    private final ObjectProvider<SpringLiquibase> liquibases;
    private final ResourceLoader resources;

    LiquibaseSchemaMigration(ObjectProvider<SpringLiquibase> liquibases, ResourceLoader resources) {
        this.liquibases = liquibases;
        this.resources = resources;
    }

    @Override
    public void bringUpToDate(DataSource dataSource, Scripts scripts) {
        if (liquibases.stream().findAny().isEmpty()) {
            return;
        }
        String history = scripts.history(HISTORY);
        if (!KnownTable.isThere(dataSource, history)
                && KnownTable.isThere(dataSource, scripts.table().toString())) {
            LOG.log(
                    Level.INFO,
                    "table " + scripts.table() + " has no history " + history
                            + ", so Liquibase has not made it that way, and it is left as it is");
            return;
        }
        for (String directory : scripts.directories()) {
            update(dataSource, scripts, directory, history);
        }
    }

    private void update(DataSource dataSource, Scripts scripts, String directory, String history) {
        SpringLiquibase liquibase = new SpringLiquibase();
        liquibase.setDataSource(dataSource);
        liquibase.setResourceLoader(resources);
        liquibase.setChangeLog("classpath:outbox/boot/changelog.xml");
        liquibase.setDatabaseChangeLogTable(history);
        Map<String, String> parameters = new HashMap<>(scripts.placeholders());
        parameters.put("outbox_directory", directory + "/");
        liquibase.setChangeLogParameters(parameters);
        try {
            liquibase.afterPropertiesSet();
        } catch (LiquibaseException e) {
            throw new OutboxException("Liquibase cannot bring table " + scripts.table() + " up to date", e);
        }
    }
}
