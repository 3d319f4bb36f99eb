package outbox.boot;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxWriter;
import outbox.boot.autoconfigure.OutboxProperties;
import outbox.boot.shop.Heard;
import outbox.boot.shop.OrderPlaced;
import outbox.boot.shop.Shop;
import outbox.config.OutboxSwitches;
import outbox.dispatch.OutboxDispatcher;
import outbox.inbox.ConsumeRecordPurgeScheduler;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;

class PropertiesTest {

    private static Stream<Arguments> wrongValues() {
        return Stream.of(
                Arguments.of(
                        "outbox.relay.batch-size=0", "outbox.relay.batch-size must be between 1 and 100000, was 0"),
                Arguments.of(
                        "outbox.relay.lock-ttl=10ms", "outbox.relay.lock-ttl must be between 1s and 36500d, was 10ms"),
                Arguments.of("outbox.relay.workers=-1", "outbox.relay.workers must be between 1 and 100000, was -1"),
                Arguments.of("outbox.table=a;b", "outbox.table must be the name of a table, was \"a;b\""),
                Arguments.of("outbox.retry.longest-delay=10ms", "outbox.retry.longest-delay must be between 1s"),
                Arguments.of("outbox.pending-limit=0", "outbox.pending-limit must be between 1 and 1000000000, was 0"),
                Arguments.of("outbox.cleaner.retention=-1s", "outbox.cleaner.retention must be between 0s"),
                Arguments.of("outbox.inbox.retention=0s", "outbox.inbox.retention must be between 1ms"),
                Arguments.of("outbox.relay.drain-timeout=60s", "outbox.relay.drain-timeout must be shorter than"),
                Arguments.of("outbox.more.audit.relay.workers=0", "outbox.more.audit.relay.workers must be between 1"));
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void a_wrong_value_stops_the_start_and_is_named_with_its_property_and_rule(String property, String message) {
        Shop.onH2()
                .withPropertyValues(property)
                .run(context -> assertThat(Shop.cause(context))
                        .isInstanceOf(InvalidOutboxException.class)
                        .hasMessageStartingWith(message)
                        .satisfies(PropertiesTest::assertAnalyzed));
    }

    @Test
    void what_is_wrong_is_shown_without_a_stack_trace() {
        Shop.onH2()
                .withPropertyValues("outbox.relay.batch-size=0")
                .run(context -> assertAnalyzed(context.getStartupFailure()));
    }

    private static void assertAnalyzed(Throwable failure) {
        List<FailureAnalysis> analyses = new ArrayList<>();
        SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.none(), (type, name, e) -> {})
                .forEach(analyzer -> {
                    FailureAnalysis analysis = analyzer.analyze(failure);
                    if (analysis != null) {
                        analyses.add(analysis);
                    }
                });
        assertThat(analyses)
                .anySatisfy(analysis -> assertThat(analysis.getDescription()).startsWith("outbox."))
                .anySatisfy(analysis -> assertThat(analysis.getAction()).isNotBlank());
    }

    @Test
    void a_key_that_nobody_knows_stops_the_start_and_is_named() {
        Shop.onH2()
                .withPropertyValues("outbox.relay.batchsice=5")
                .run(context -> assertThat(Shop.cause(context)).hasMessageContaining("outbox.relay.batchsice"));
    }

    @Test
    void each_property_has_the_default_of_the_facade_or_of_the_switch_of_its_name() {
        OutboxProperties defaults = new OutboxProperties();
        OutboxSwitches switches = OutboxSwitches.from(java.util.Map.of());
        assertThat(defaults.getRelay().isEnabled()).isEqualTo(switches.relayEnabled());
        assertThat(defaults.getRelay().getPollInterval()).isEqualTo(switches.pollInterval());
        assertThat(defaults.getRelay().getBatchSize()).isEqualTo(switches.batchSize());
        assertThat(defaults.getRelay().getLockTtl()).isEqualTo(switches.lockTtl());
        assertThat(defaults.getCleaner().isEnabled()).isEqualTo(switches.cleanerEnabled());
        assertThat(defaults.getCleaner().getRetention()).isEqualTo(switches.retention());
        assertThat(defaults.getCleaner().isDeadEnabled()).isEqualTo(switches.cleanerDeadEnabled());
        assertThat(defaults.getRelay().getMaxAttempts()).isEqualTo(OutboxBuilder.DEFAULT_MAX_ATTEMPTS);
        assertThat(defaults.getRelay().getWorkers()).isEqualTo(OutboxDispatcher.DEFAULT_WORKER_COUNT);
        assertThat(defaults.getHealth().getOldestPending()).isEqualTo(OutboxBuilder.DEFAULT_OLDEST_PENDING);
        assertThat(defaults.getTable()).isEqualTo(TableName.DEFAULT.toString());
        assertThat(defaults.getInbox().getTable()).isEqualTo(InboxSchema.DEFAULT_TABLE.toString());
        assertThat(defaults.getInbox().getRetention()).isEqualTo(ConsumeRecordPurgeScheduler.DEFAULT_RETENTION);
    }

    @Test
    void a_process_that_does_not_relay_writes_and_delivers_nothing() {
        Shop.onH2(Listener.class)
                .withPropertyValues("outbox.relay.enabled=false")
                .run(context -> {
                    context.getBean(outbox.boot.shop.Orders.class).place("1");
                    assertThat(context.getBean(Outbox.class).listeners()).isEmpty();
                    assertThat(Shop.count(context.getBean(DataSource.class), "outbox_event"))
                            .isEqualTo(1);
                    assertThat(context.getBean(Heard.class).rest()).isEmpty();
                });
    }

    @Test
    void editors_know_every_property_with_its_description_and_default() throws Exception {
        try (InputStream in =
                OutboxProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            String metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(metadata)
                    .contains("\"name\": \"outbox.relay.batch-size\"", "How many events a poll takes at most.")
                    .contains("\"name\": \"outbox.schema.initialize\"", "\"name\": \"outbox.more\"");
        }
    }

    static class Listener {

        private final Heard heard;

        Listener(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener
        void on(OrderPlaced event) {
            heard.add(event);
        }
    }

    static class TwoOutboxes {

        private final Heard heard;

        TwoOutboxes(Heard heard) {
            this.heard = heard;
        }

        @OutboxListener(value = "Audited", outbox = "audit")
        void audit(String payload) {
            heard.add("audit " + payload);
        }

        @OutboxListener("Audited")
        void main(String payload) {
            heard.add("main " + payload);
        }
    }

    @Test
    void several_outboxes_have_tables_listeners_and_writers_of_their_own_and_share_a_transaction() {
        Shop.onH2(TwoOutboxes.class)
                .withPropertyValues("outbox.more.audit.table=audit_event")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    OutboxWriter audit = context.getBean("auditOutboxWriter", OutboxWriter.class);
                    OutboxWriter main = context.getBean(OutboxWriter.class);
                    var transactions = new org.springframework.transaction.support.TransactionTemplate(
                            context.getBean(org.springframework.transaction.PlatformTransactionManager.class));
                    transactions.executeWithoutResult(status -> {
                        audit.write("Audited", "1");
                        main.write("Audited", "2");
                    });
                    Heard heard = context.getBean(Heard.class);
                    assertThat(List.of(heard.next(), heard.next())).containsExactlyInAnyOrder("audit 1", "main 2");
                    assertThat(context.getBean("auditOutbox", Outbox.class).isRunning())
                            .isTrue();
                });
    }
}
