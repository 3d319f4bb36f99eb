package outbox.boot;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Shop;

import static org.assertj.core.api.Assertions.assertThat;

/** Spring's processing ahead of time finds everything that a native image needs. */
class AheadOfTimeTest {

    record Payload(String text) {}

    record InBatch(String text) {}

    static class Listeners {

        @OutboxListener
        void single(Payload payload) {}

        @OutboxListener
        void batch(List<InBatch> payloads) {}
    }

    @AutoConfigurationPackage(basePackageClasses = OrderPlaced.class)
    static class Scanned {}

    @Test
    void scripts_services_listeners_and_payloads_are_known_ahead_of_time() throws Exception {
        InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("outbox.boot", "Application")), files);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(
                            "spring.flyway.enabled=false",
                            "spring.liquibase.enabled=false",
                            "outbox.more.audit.table=audit_event")
                    .applyTo(context);
            context.register(Shop.class, Listeners.class, Scanned.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();

        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(callable(hints, Listeners.class)).contains("single", "batch");
        assertThat(callable(hints, Payload.class)).contains("text");
        assertThat(callable(hints, InBatch.class)).contains("text");
        assertThat(callable(hints, OrderPlaced.class)).contains("orderId", "total");
        assertThat(files.getGeneratedFiles(GeneratedFiles.Kind.SOURCE).keySet())
                .anyMatch(file -> file.contains("OutboxAutoConfiguration"))
                .isNotEmpty();
    }

    private static List<String> callable(RuntimeHints hints, Class<?> type) {
        return hints.reflection()
                .getTypeHint(type)
                .methods()
                .map(ExecutableHint::getName)
                .toList();
    }

    @Test
    void resources_are_registered_by_the_jar_itself() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("outbox."))
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        for (String resource : List.of(
                "schema/postgresql.sql",
                "outbox-schema/h2/V688269.1.01__outbox_table.sql",
                "inbox-schema/postgresql.sql",
                "META-INF/services/outbox.jdbc.StoreFinder")) {
            assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(hints);
            assertThat(getClass().getResource("/" + resource)).isNotNull();
        }
    }
}
