package outbox.internal.dead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.DeadEvent;
import outbox.DeadEventHandler;
import outbox.DeadEventInTransaction;
import outbox.EventEnvelope;
import outbox.FailureClassifier;
import outbox.FailureKind;
import outbox.Listener;
import outbox.PermanentFailureException;
import outbox.ReceiverAwayException;
import outbox.RetryAfterException;
import outbox.internal.text.ContentMask;
import outbox.internal.text.ErrorText;
import outbox.internal.transaction.ShortTransaction;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Listens to {@linkplain DeathNotice notices} and tells the handler. Whatever that throws, the notice is delivered again: it never ends DEAD for it.
 */
public final class DeadTeller {

    /** By which it is known in logs, meters and pauses. */
    public static final String NAME = "dead events";

    private static final int MOST_CAUSES = 50;

    private final OutboxStore store;
    private final FailureClassifier classifier;
    private final Telling telling;

    @FunctionalInterface
    private interface Telling {

        /** Tells the handler. */
        void tell(DeadTeller teller, DeadEvent dead) throws Exception;
    }

    /** The handler has failed. Says so in words without the event's content, which whoever reads of a notice would not know as such. */
    static final class HandlerFailedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private HandlerFailedException(String message) {
            super(message);
        }
    }

    private DeadTeller(OutboxStore store, FailureClassifier classifier, Telling telling) {
        this.store = store;
        this.classifier = classifier;
        this.telling = telling;
    }

    /** Where rows are read, and what failures mean. */
    public record Parts(OutboxStore store, ConnectionProvider connections, FailureClassifier classifier) {}

    /** A listener that tells a handler. */
    public static Listener telling(Parts parts, DeadEventHandler handler, UnaryOperator<Listener> settings) {
        return listener(
                parts,
                (teller, dead) -> {
                    OutboxEvent row = ShortTransaction.run(
                                    parts.connections, conn -> parts.store.event(conn, dead.eventId()))
                            .orElse(null);
                    teller.call(row, () -> handler.onDead(dead.with(row)));
                },
                settings);
    }

    /** A listener that tells a handler which wants a transaction, and could not be told in that of the mark. */
    public static Listener telling(Parts parts, DeadEventInTransaction handler, UnaryOperator<Listener> settings) {
        return listener(
                parts,
                (teller, dead) -> ShortTransaction.run(
                        parts.connections,
                        conn -> ShortTransaction.atomically(conn, tx -> teller.callOn(tx, dead, handler))),
                settings);
    }

    private static Listener listener(Parts parts, Telling telling, UnaryOperator<Listener> settings) {
        DeadTeller teller = new DeadTeller(parts.store, parts.classifier, telling);
        return settings.apply(Listener.of(teller::onNotice).named(NAME))
                .maxAttempts(Integer.MAX_VALUE)
                .classifier(DeadTeller::kindOf);
    }

    /** Nothing that a handler throws, or a user's classifier says, ends a notice. */
    private static FailureKind kindOf(Throwable failure) {
        if (failure instanceof PermanentFailureException) {
            return FailureKind.PERMANENT; // it was not written by the outbox
        }
        return failure instanceof ReceiverAwayException ? FailureKind.AWAY : FailureKind.TRANSIENT;
    }

    private void onNotice(EventEnvelope notice) throws Exception {
        telling.tell(this, DeathNotice.read(notice));
    }

    private boolean callOn(Connection conn, DeadEvent dead, DeadEventInTransaction handler) throws SQLException {
        OutboxEvent row = store.event(conn, dead.eventId()).orElse(null);
        call(row, () -> handler.onDead(dead.with(row), OpenTransaction.on(conn)));
        return true;
    }

    @FunctionalInterface
    private interface HandlerCall {
        void run() throws Exception;
    }

    private void call(@Nullable OutboxEvent row, HandlerCall handler) {
        try {
            handler.run();
        } catch (Exception e) {
            throw withoutContent(e, row == null ? ErrorText.of(e) : ErrorText.of(e, ContentMask.of(row)));
        }
    }

    private RuntimeException withoutContent(Exception failure, String text) {
        RuntimeException said;
        if (failure instanceof RetryAfterException wish) {
            said = new RetryAfterException(wish.delay(), wish.isCounted(), text, null);
        } else {
            said = isAway(failure) ? new ReceiverAwayException(text) : new HandlerFailedException(text);
        }
        said.setStackTrace(failure.getStackTrace());
        return said;
    }

    private boolean isAway(Throwable failure) {
        Throwable error = failure;
        for (int depth = 0; error != null && depth < MOST_CAUSES; depth++) {
            FailureKind kind = classifier.kindOf(error);
            if (kind != null) {
                return kind == FailureKind.AWAY;
            }
            error = error.getCause();
        }
        return false;
    }
}
