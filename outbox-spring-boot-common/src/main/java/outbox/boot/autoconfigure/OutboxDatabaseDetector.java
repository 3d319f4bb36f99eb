package outbox.boot.autoconfigure;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;
import outbox.Outbox;

/** Outboxes are made when Flyway, Liquibase and the scripts of the application have run. */
final class OutboxDatabaseDetector extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(Outbox.class, Inboxes.class);
    }
}
