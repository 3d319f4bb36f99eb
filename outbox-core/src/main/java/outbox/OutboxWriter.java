package outbox;

import java.lang.System.Logger;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import outbox.internal.GuardedHook;
import outbox.internal.payload.PayloadTransforms;
import outbox.internal.text.SafeLog;
import outbox.internal.watch.PendingGate;
import outbox.spi.OutboxStore;
import outbox.spi.TxContext;

/**
 * Writes events in the caller's database transaction: they are committed with the business data or not at all.
 *
 * <p>Thread-safe. Without a hook nothing happens after the commit; the poller (or change data capture) finds the rows.
 */
public final class OutboxWriter {

    private static final Logger LOG = SafeLog.of(OutboxWriter.class);

    private final TxContext txContext;
    private final OutboxStore outboxStore;
    private final WriterHook writerHook;
    private final PendingGate gate;

    /** A writer that only inserts. */
    public OutboxWriter(TxContext txContext, OutboxStore outboxStore) {
        this(txContext, outboxStore, WriterHook.NOOP);
    }

    /** A writer that tells the hook what happens to each batch; null means {@link WriterHook#NOOP}. */
    public OutboxWriter(TxContext txContext, OutboxStore outboxStore, @Nullable WriterHook writerHook) {
        this(txContext, outboxStore, writerHook, PendingGate.open());
    }

    OutboxWriter(TxContext txContext, OutboxStore outboxStore, @Nullable WriterHook writerHook, PendingGate gate) {
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
        this.writerHook = writerHook == null ? WriterHook.NOOP : writerHook;
        this.gate = gate;
    }

    PendingGate gate() {
        return gate;
    }

    /** The transactions that events are written in, for code that must follow them too. */
    public TxContext txContext() {
        return txContext;
    }

    /**
     * Writes one event.
     *
     * @return the event's id, or null if the hook suppressed the write
     * @throws IllegalStateException if no transaction is active
     * @throws OutboxFullException if too many events are pending, and the outbox was built to {@linkplain OutboxBuilder#pendingLimit refuse} more
     */
    public @Nullable String write(EventEnvelope event) {
        List<String> ids = writeAll(List.of(Objects.requireNonNull(event, "event")));
        return ids.isEmpty() ? null : ids.get(0);
    }

    /** Writes an event with nothing but a type and a JSON payload; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** Writes an event with nothing but a type and a JSON payload; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    /** Writes an event with nothing but a type and a payload that need not be text; see {@link #write(EventEnvelope)}. */
    public @Nullable String write(String eventType, byte[] payload, String contentType) {
        return write(EventEnvelope.ofBytes(eventType, payload, contentType));
    }

    /**
     * Writes all events in one batch: all are inserted or the call fails.
     *
     * @return the ids of what was inserted, in order; empty if the list was empty or the hook suppressed the write
     * @throws IllegalStateException if no transaction is active
     */
    public List<String> writeAll(List<EventEnvelope> events) {
        List<EventEnvelope> batch = prepare(events);
        if (batch.isEmpty()) {
            return List.of();
        }
        writerHook.insert(outboxStore, txContext.currentConnection(), batch);
        // Only now: had the insert failed and the caller committed all the same, the callback would dispatch an event
        // that does not exist.
        followTransaction(batch);
        return batch.stream().map(EventEnvelope::eventId).toList();
    }

    /**
     * Writes one event unless the table already contains its id, so that work that is repeated with the same event id writes its event
     * once. If another transaction has written the id and is still open, the call waits for it to end.
     *
     * @return what happened to the event, or null if the hook suppressed the write
     * @throws DuplicateEventException if the table already contains the id and the policy is {@link DuplicatePolicy#FAIL}
     * @throws IllegalStateException if no transaction is active
     * @throws UnsupportedOperationException if the store does not support it
     */
    public @Nullable WriteReceipt enqueue(EventEnvelope event, DuplicatePolicy policy) {
        List<WriteReceipt> receipts = enqueueAll(List.of(Objects.requireNonNull(event, "event")), policy);
        return receipts.isEmpty() ? null : receipts.get(0);
    }

    /**
     * Writes those events whose ids are not in the table yet, in one batch; see {@link #enqueue}. An id that is given twice is written once.
     *
     * @return what happened to each event, in order; empty if the list was empty or the hook suppressed the write
     */
    public List<WriteReceipt> enqueueAll(List<EventEnvelope> events, DuplicatePolicy policy) {
        Objects.requireNonNull(policy, "policy");
        List<EventEnvelope> batch = prepare(events);
        if (batch.isEmpty()) {
            return List.of();
        }
        List<WriteReceipt> receipts = writerHook.insertOnce(outboxStore, txContext.currentConnection(), batch, policy);
        // Events that were there before are delivered by whoever wrote them.
        List<EventEnvelope> written = IntStream.range(0, batch.size())
                .filter(i -> !receipts.get(i).alreadyThere())
                .mapToObj(batch::get)
                .toList();
        if (!written.isEmpty()) {
            followTransaction(written);
        }
        return List.copyOf(receipts);
    }

    /** The events that the hook wants to be inserted. */
    private List<EventEnvelope> prepare(List<EventEnvelope> events) {
        if (!txContext.isTransactionActive()) {
            throw new IllegalStateException(
                    "No active transaction: an event must be written in the same transaction as the data it is about; begin one first");
        }
        List<EventEnvelope> given = List.copyOf(events);
        if (given.isEmpty()) {
            return List.of();
        }
        gate.admit();
        List<EventEnvelope> changed = writerHook.beforeWrite(given);
        if (changed == null || changed.isEmpty()) {
            return List.of();
        }
        List<EventEnvelope> batch = List.copyOf(changed);
        requireDelays(batch);
        requireBytes(batch);
        return batch;
    }

    /** A store that ignores delays would make the event due at once. */
    private void requireDelays(List<EventEnvelope> batch) {
        if (outboxStore.canDelay()) {
            return;
        }
        for (EventEnvelope event : batch) {
            if (event.isDelayed()) {
                throw new UnsupportedOperationException(event + " has a delay, but "
                        + outboxStore.getClass().getName() + " cannot delay events: it does not override canDelay");
            }
        }
    }

    private void requireBytes(List<EventEnvelope> batch) {
        for (EventEnvelope event : batch) {
            if (event.isBinary()) {
                if (!outboxStore.canKeepBytes()) {
                    throw new UnsupportedOperationException("the payload of " + event + " is not text, but "
                            + outboxStore.getClass().getName()
                            + " cannot keep bytes: it does not override canKeepBytes");
                }
                PayloadTransforms.requireOwnHeaders(event);
            }
        }
    }

    private void followTransaction(List<EventEnvelope> batch) {
        if (writerHook == WriterHook.NOOP) {
            return;
        }
        // Registered before the hook hears of the write: a hook that was told afterWrite can rely on hearing the end.
        AtomicBoolean unknown = new AtomicBoolean();
        txContext.afterCommit(() -> GuardedHook.tell(LOG, "afterCommit", writerHook::afterCommit, batch));
        txContext.afterUnknown(() -> {
            unknown.set(true);
            GuardedHook.tell(LOG, "afterUnknown", writerHook::afterUnknown, batch);
        });
        txContext.afterRollback(() -> {
            if (!unknown.get()) {
                GuardedHook.tell(LOG, "afterRollback", writerHook::afterRollback, batch);
            }
        });
        GuardedHook.tell(LOG, "afterWrite", writerHook::afterWrite, batch);
    }
}
