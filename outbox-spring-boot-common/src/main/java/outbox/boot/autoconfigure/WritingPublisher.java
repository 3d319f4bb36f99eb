package outbox.boot.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.boot.OutboxMapping;
import outbox.boot.OutboxPublisher;
import outbox.boot.PayloadFormat;

/** Turns objects into envelopes and writes them. */
final class WritingPublisher implements OutboxPublisher {

    private final OutboxWriter writer;
    private final EventMappings mappings;
    private final PayloadFormat format;
    private final boolean ordered;

    /** @param ordered whether each event must say what it is about */
    WritingPublisher(OutboxWriter writer, EventMappings mappings, PayloadFormat format, boolean ordered) {
        this.writer = writer;
        this.mappings = mappings;
        this.format = format;
        this.ordered = ordered;
    }

    @Override
    public @Nullable String publish(Object event, Consumer<EventEnvelope.Builder> more) {
        requireTransaction(event);
        return writer.write(envelope(event, more));
    }

    @Override
    public List<String> publishAll(Collection<?> events) {
        if (events.isEmpty()) {
            return List.of();
        }
        requireTransaction(events.iterator().next());
        return writer.writeAll(
                events.stream().map(event -> envelope(event, more -> {})).toList());
    }

    private static void requireTransaction(Object event) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "No transaction is active in which " + event.getClass().getName()
                            + " could be written; publish it in a @Transactional method or with a TransactionTemplate."
                            + " A reactive transaction does not count: it is not on JDBC's connection");
        }
    }

    private EventEnvelope envelope(Object event, Consumer<EventEnvelope.Builder> more) {
        OutboxMapping<?> mapping = mappings.of(event.getClass());
        String aggregateId = mapping.aggregateId(event);
        if (ordered && aggregateId == null) {
            throw mapping.aggregateType() == null
                    ? EventMappings.withoutAggregate(event.getClass())
                    : new IllegalArgumentException("the outbox keeps order per aggregate, but the id of the "
                            + mapping.aggregateType() + " is null in this "
                            + event.getClass().getName()
                            + "; give it before it is published");
        }
        EventEnvelope.Builder builder = EventEnvelope.builder(mapping.eventType())
                .aggregateType(mapping.aggregateType())
                .aggregateId(aggregateId)
                .payloadJson(format.write(event));
        more.accept(builder);
        return builder.build();
    }
}
