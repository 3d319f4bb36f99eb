package outbox.poller;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.payload.PayloadText;
import outbox.model.BytesPayload;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.OrderedStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.spi.OutboxStore;
import outbox.util.JsonCodec;

/** How a poller gets events out of the table. */
interface RowSource {

    /**
     * An event that was found.
     *
     * @param ahead the ids of earlier events that must end before it may be delivered
     * @param suspicion null if nothing is held against it
     */
    record Row(
            OutboxEvent event,
            Collection<String> ahead,
            @Nullable Suspicion suspicion) {

        static List<Row> ofAll(List<OutboxEvent> events) {
            return events.stream().map(event -> new Row(event, Set.of(), null)).toList();
        }

        /** Turns the row back into the event that was written. */
        EventEnvelope decode(JsonCodec codec) {
            EventEnvelope.Builder builder = EventEnvelope.builder(event.eventType())
                    .eventId(event.eventId())
                    .occurredAt(event.createdAt())
                    .aggregateType(event.aggregateType())
                    .aggregateId(event.aggregateId())
                    .tenantId(event.tenantId())
                    .headers(event.headersJson() == null ? Map.of() : codec.parseObject(event.headersJson()));
            BytesPayload bytes = event.bytesPayload();
            if (bytes != null) {
                return builder.payload(bytes.bytes(), bytes.contentType()).build();
            }
            if (PayloadText.OF_BYTES.equals(event.payloadJson())) {
                throw PayloadText.withoutBytes();
            }
            return builder.payloadJson(event.payloadJson()).build();
        }
    }

    /**
     * What was found.
     *
     * @param moreMayCome whether another poll may find more at once
     * @param othersWait whether there are due events that must wait for others
     * @param lookAgain after which time another poll may find what this one did not look at; null if it has looked at everything
     * @param left the keys of which enough was found, and more waits
     * @param putOff the ids of events that were put off in the transaction that found these; see {@link #lookAgain}
     */
    record Batch(
            List<Row> rows,
            boolean moreMayCome,
            boolean othersWait,
            @Nullable Duration lookAgain,
            Collection<AggregateKey> left,
            Set<String> putOff) {

        Batch(List<Row> rows, int limit, @Nullable Duration lookAgain) {
            this(rows, rows.size() == limit, false, lookAgain, List.of(), Set.of());
        }
    }

    /** The source that suits the store, the claim settings (null: no claim locking) and the order that the link asks for. */
    static RowSource of(OutboxStore store, @Nullable ClaimSettings claim, Duration skipRecent, PollLink link) {
        if (claim == null) {
            if (link.isOrdered()) {
                throw new IllegalArgumentException(
                        "ordering needs claim locking, also for a single process, because an event's turn is decided by leases;"
                                + " call claimLocking as well");
            }
            return new Unlocked(store, skipRecent, link);
        }
        LeaseStore leases = store.leases();
        String ownerId = link.claimsAs(leases == null ? claim.ownerId() : claim.newOwner(), claim.timeout());
        if (leases == null && link.isOrdered()) {
            throw new IllegalArgumentException("ordering needs a store with leases, but "
                    + store.getClass().getName() + " has none; override leases and ordered");
        }
        if (leases == null) {
            return new LockedRows(store, ownerId, claim.timeout(), skipRecent, link);
        }
        Leased leased = new Leased(
                leases,
                new Leased.Terms(ownerId, claim.timeout(), skipRecent),
                new LowWaterMark(System::nanoTime),
                link);
        return link.isOrdered() ? new InOrder(orderOf(store), leased, link) : leased;
    }

    private static OrderedStore orderOf(OutboxStore store) {
        OrderedStore ordered = store.ordered();
        if (ordered == null) {
            throw new IllegalArgumentException("ordering needs a store that keeps order, but "
                    + store.getClass().getName() + " does not; override ordered");
        }
        return ordered;
    }

    Batch fetch(Connection conn, Instant now, int limit);

    /** Looks, after the commit, whether events were put off whose keys go on: nobody else could see them before. */
    default void lookAgain(Connection conn, Set<String> putOff) {}

    /**
     * Marks an event DEAD that was found but cannot be delivered.
     *
     * @param holdsKey whether later events of its key must wait until somebody replays or discards it
     * @return whether it still belonged to this process
     */
    boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey);

    /** Gives back what was found. */
    int release(Connection conn, List<OutboxEvent> events);

    /** Gives back what was found so that it is not found for a while; only if {@link #leases()}. */
    default void putOff(Connection conn, List<LeaseStore.HeldRetry> events) {}

    /** Whether an event that was found is not found again until it has ended or was given back. */
    default boolean locks() {
        return true;
    }

    /** Whether an event that was found is leased by the clock of the database. */
    default boolean leases() {
        return false;
    }

    /** Whether events of one key are found in order. */
    default boolean isOrdered() {
        return false;
    }

    /** Checks what this source needs beyond what its store needs anyway. */
    default void checkSchema(Connection conn) {}

    /** Reads without locks, for a table that nobody else reads. */
    record Unlocked(OutboxStore store, Duration skipRecent, PollLink link) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            return new Batch(Row.ofAll(store.pollPending(conn, now, skipRecent, limit, link.leftOut())), limit, null);
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return store.markDead(conn, event.eventId(), error) > 0;
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return 0;
        }

        @Override
        public boolean locks() {
            return false;
        }
    }

    /** Leases by the clock of the database. */
    record Leased(LeaseStore store, Terms terms, LowWaterMark mark, PollLink link) implements RowSource {

        /** Under which name and for how long events are leased, and which are too young for it. */
        record Terms(String ownerId, Duration timeout, Duration skipRecent) {}

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            LeaseStore.ClaimRequest request = request(limit);
            LeaseStore.Start start = request.start();
            long before = System.nanoTime();
            LeaseStore.Found found = store.claim(conn, request);
            mark.looked(start, found.next(), false, System.nanoTime() - before);
            List<Row> rows = found.events().stream()
                    .map(taken -> new Row(taken.event(), Set.of(), taken.suspicion()))
                    .toList();
            return new Batch(rows, limit, lookAgain(start));
        }

        LeaseStore.ClaimRequest request(int limit) {
            Set<EventRoute> leftOut = link.leftOut();
            if (link.someGoOn()) {
                mark.forget();
            }
            return new LeaseStore.ClaimRequest(
                    terms.ownerId, terms.timeout, terms.skipRecent, limit, mark.next(), leftOut);
        }

        /** When what lies before the place is looked at, from where a claim has begun to look. */
        @Nullable
        Duration lookAgain(LeaseStore.Start start) {
            return start.from() == null ? null : mark.untilNextLook();
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return store.markDead(
                            conn, terms.ownerId, List.of(new LeaseStore.HeldDead(event.eventId(), error, holdsKey)))
                    .isEmpty();
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return store.release(
                    conn,
                    terms.ownerId,
                    events.stream().map(OutboxEvent::eventId).toList());
        }

        @Override
        public void putOff(Connection conn, List<LeaseStore.HeldRetry> events) {
            store.markRetry(conn, terms.ownerId, events);
        }

        @Override
        public boolean leases() {
            return true;
        }
    }

    /** Leases runs of keys, in the order of each key. */
    record InOrder(OrderedStore store, Leased leased, PollLink link) implements RowSource {

        @Override
        public Batch fetch(Connection conn, Instant now, int limit) {
            LeaseStore.ClaimRequest request = leased.request(limit);
            LeaseStore.Start start = request.start();
            long before = System.nanoTime();
            OrderedStore.Claimed claimed = store.claim(conn, request, link.keysToContinue());
            leased.mark.looked(start, claimed.next(), claimed.unfinished(), System.nanoTime() - before);
            List<Row> rows =
                    claimed.runs().stream().flatMap(run -> rowsOf(run).stream()).toList();
            boolean more = claimed.unfinished() || rows.size() == limit;
            List<AggregateKey> left = claimed.runs().stream()
                    .filter(OrderedStore.Run::more)
                    .map(InOrder::keyOf)
                    .toList();
            return new Batch(rows, more, claimed.othersWait(), leased.lookAgain(start), left, claimed.putOff());
        }

        @Override
        public void lookAgain(Connection conn, Set<String> putOff) {
            store.bringBack(conn, putOff);
        }

        private static AggregateKey keyOf(OrderedStore.Run run) {
            OutboxEvent event = run.events().get(0).event();
            return new AggregateKey(
                    Objects.requireNonNull(event.aggregateType()), Objects.requireNonNull(event.aggregateId()));
        }

        private static List<Row> rowsOf(OrderedStore.Run run) {
            List<Row> rows = new ArrayList<>();
            Collection<String> ahead = run.ahead();
            for (LeaseStore.Taken taken : run.events()) {
                rows.add(new Row(taken.event(), ahead, taken.suspicion()));
                ahead = List.of(taken.event().eventId());
            }
            return rows;
        }

        @Override
        public boolean markDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {
            return leased.markDead(conn, event, error, holdsKey);
        }

        @Override
        public int release(Connection conn, List<OutboxEvent> events) {
            return leased.release(conn, events);
        }

        @Override
        public void putOff(Connection conn, List<LeaseStore.HeldRetry> events) {
            leased.putOff(conn, events);
        }

        @Override
        public boolean leases() {
            return true;
        }

        @Override
        public boolean isOrdered() {
            return true;
        }

        @Override
        public void checkSchema(Connection conn) {
            store.checkSchema(conn);
        }
    }
}
