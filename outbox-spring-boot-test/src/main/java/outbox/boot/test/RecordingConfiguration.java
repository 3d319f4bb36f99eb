package outbox.boot.test;

import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.Outbox;
import outbox.boot.EventTypes;
import outbox.boot.OutboxBuilderCustomizer;
import outbox.boot.PayloadFormat;
import outbox.boot.listener.AnnotatedListeners;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.testing.OutboxProbe;
import outbox.testing.PlannedFailures;
import outbox.testing.RecordedEvents;

/** Records what is written to the outbox that needs no name. */
@Configuration(proxyBeanMethods = false)
class RecordingConfiguration {

    private static final String ONLY = "outbox";

    @Bean
    RecordedEvents recordedEvents(ObjectProvider<EventTypes> types, ObjectProvider<PayloadFormat> format) {
        return new RecordedEvents(
                payload -> types.getObject().eventTypeOf(payload),
                (json, type) -> format.getObject().read(json, type));
    }

    @Bean
    PlannedFailures plannedFailures() {
        return new PlannedFailures();
    }

    @Bean
    OutboxBuilderCustomizer recordingCustomizer(RecordedEvents events, PlannedFailures failures) {
        return (name, builder) -> {
            if (name.equals(ONLY)) {
                builder.hook(events.hook()).dispatcher(dispatcher -> dispatcher.interceptor(failures));
            }
        };
    }

    @Bean
    OutboxProbe outboxProbe(
            RecordedEvents events,
            PlannedFailures failures,
            AnnotatedListeners listeners,
            Outbox outbox,
            DataSource dataSource) {
        return new OutboxProbe(
                events, listeners.of(ONLY), failures, outbox.store(), new DataSourceConnectionProvider(dataSource));
    }
}
