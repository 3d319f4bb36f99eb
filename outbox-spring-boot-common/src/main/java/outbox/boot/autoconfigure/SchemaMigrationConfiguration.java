package outbox.boot.autoconfigure;

import liquibase.integration.spring.SpringLiquibase;
import org.flywaydb.core.Flyway;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/** The tools by which an application brings its own tables up to date. */
final class SchemaMigrationConfiguration {

    private SchemaMigrationConfiguration() {}

    /** Flyway. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flyway.class)
    static class WithFlyway {

        @Bean
        SchemaMigration outboxFlywayMigration(ObjectProvider<Flyway> flyways) {
            return new FlywaySchemaMigration(flyways);
        }
    }

    /** Liquibase. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SpringLiquibase.class)
    static class WithLiquibase {

        @Bean
        SchemaMigration outboxLiquibaseMigration(ObjectProvider<SpringLiquibase> liquibases, ResourceLoader resources) {
            return new LiquibaseSchemaMigration(liquibases, resources);
        }
    }
}
