package outbox;

import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.spi.TxContext;

/**
 * Writes events in one transaction that somebody else has begun and will end, such as jOOQ, MyBatis, Hibernate or code of your own. They are
 * committed with it or not at all. Made by {@link Outbox#on(Connection)}, or by {@link Outbox#on(OutboxTransaction)}, where no word is needed.
 *
 * <p>{@link #committed()}, {@link #rolledBack()} and {@link #close()} only say when to look into the table: an event is delivered when its row has
 * been seen there. So a word that is wrong, comes too early or is forgotten does no harm. Without a word the table is looked into 50 ms after the
 * write, and then after twice as long each time. All of them may be called in any order and more than once; none waits for the database.
 *
 * <p>Hooks of the outbox hear {@code afterCommit} of an event when its row has been seen, {@code afterRollback} when {@link #rolledBack()} was said and there
 * was no row, and {@code afterUnknown} when nobody looks for it any more.
 *
 * <p>For one transaction and one thread: after the first word nothing more can be written. The connection is not closed.
 */
public final class JoinedWriter implements AutoCloseable {

    private final JoinedContext context;
    private final OutboxWriter writer;
    private final Runnable look;
    private @Nullable String word;
    private boolean told;

    private JoinedWriter(JoinedContext context, OutboxWriter writer, Runnable look) {
        this.context = context;
        this.writer = writer;
        this.look = look;
    }

    /**
     * Joins the transaction of a connection.
     *
     * @param writer writes there
     * @param look for events of which nobody says what has become of them
     */
    static JoinedWriter on(Connection connection, Function<TxContext, OutboxWriter> writer, Runnable look) {
        JoinedContext context = new JoinedContext(Objects.requireNonNull(connection, "connection"));
        if (!context.isTransactionActive()) {
            throw new IllegalStateException(
                    "The connection is in autocommit mode, so there is no transaction to join, and each event would"
                            + " be committed alone; begin a transaction or call setAutoCommit(false) before on(connection)");
        }
        return new JoinedWriter(context, writer.apply(context), look);
    }

    /** Hears of the end of the transaction by itself. */
    void follow(TxContext transaction) {
        transaction.afterCommit(this::committed);
        transaction.afterUnknown(this::unknown);
        transaction.afterRollback(this::rolledBack);
    }

    /**
     * Writes one event.
     *
     * @return the event's id, or null if a hook suppressed the write
     * @throws IllegalStateException after a word, or if the connection is in autocommit mode by now
     */
    public @Nullable String write(EventEnvelope event) {
        return ifOpen(() -> writer.write(event));
    }

    /** Writes an event with nothing but a type and a JSON payload; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** Writes an event with nothing but a type and a JSON payload; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** Writes an event with a type, the id of what it is about, and a JSON payload; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, String aggregateId, String payloadJson) {
        return write(EventEnvelope.builder(eventType)
                .aggregateId(aggregateId)
                .payloadJson(payloadJson)
                .build());
    }

    /** Writes an event with nothing but a type and a payload that need not be text; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, byte[] payload, String contentType) {
        return write(EventEnvelope.ofBytes(eventType, payload, contentType));
    }

    /** Writes an event with a type, the id of what it is about, and a payload that need not be text; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, String aggregateId, byte[] payload, String contentType) {
        return write(EventEnvelope.builder(eventType)
                .aggregateId(aggregateId)
                .payload(payload, contentType)
                .build());
    }

    /** Writes all events in one batch, see {@link OutboxWriter#writeAll}. */
    public List<String> writeAll(List<EventEnvelope> events) {
        return Objects.requireNonNull(ifOpen(() -> writer.writeAll(events)));
    }

    /** Writes one event unless the table already contains its id, see {@link OutboxWriter#enqueue}. */
    public @Nullable WriteReceipt enqueue(EventEnvelope event, DuplicatePolicy policy) {
        return ifOpen(() -> writer.enqueue(event, policy));
    }

    /** Writes those events whose ids are not in the table yet, see {@link OutboxWriter#enqueueAll}. */
    public List<WriteReceipt> enqueueAll(List<EventEnvelope> events, DuplicatePolicy policy) {
        return Objects.requireNonNull(ifOpen(() -> writer.enqueueAll(events, policy)));
    }

    private <T> @Nullable T ifOpen(Supplier<@Nullable T> work) {
        if (word != null) {
            throw new IllegalStateException("Nothing can be written after " + word
                    + ": a JoinedWriter is for one transaction; call on(connection) again for the next one");
        }
        return work.get();
    }

    /** Says that the transaction was committed: events are looked for at once. */
    public void committed() {
        if (say("committed()")) {
            context.committed();
        }
    }

    /** Says that the transaction was rolled back: after one look its events are forgotten. */
    public void rolledBack() {
        if (say("rolledBack()")) {
            context.rolledBack();
        }
    }

    private void unknown() {
        if (say("the end of its transaction")) {
            context.unknown();
        }
    }

    /** Says that nothing more will be written: events are looked for at once, and again later. After another word it does nothing. */
    @Override
    public void close() {
        if (word == null) {
            word = "close()";
            look.run();
        }
    }

    /** Returns whether it is the first word about the end; after that there is nothing but to look again. */
    private boolean say(String what) {
        boolean first = !told;
        word = what;
        told = true;
        if (!first) {
            look.run();
        }
        return first;
    }
}
