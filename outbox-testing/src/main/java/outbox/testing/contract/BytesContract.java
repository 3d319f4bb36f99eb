package outbox.testing.contract;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Taken;
import outbox.spi.PayloadTransformer;
import outbox.spi.PurgeRuns;
import outbox.util.JsonCodec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Payloads that are not text. */
interface BytesContract extends LeaseTest {

    String CONTENT_TYPE = "application/x-protobuf; messageType=\"Order\"";

    private static byte[] everyByte() {
        byte[] bytes = new byte[512];
        IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) i);
        return bytes;
    }

    private EventEnvelope.Builder of(String id) {
        assumeTrue(fixture().keepsBytes(), "the table keeps no bytes");
        return EventEnvelope.builder("OrderPlaced").eventId(id).occurredAt(LONG_AGO);
    }

    /** With bytes of its own. */
    private EventEnvelope bytes(String id) {
        return of(id).payload(id.getBytes(StandardCharsets.UTF_8), CONTENT_TYPE).build();
    }

    private void assertBytes(List<OutboxEvent> rows, String... ids) {
        assertEquals(
                Set.of(ids), Set.copyOf(rows.stream().map(OutboxEvent::eventId).toList()));
        rows.forEach(row -> assertEquals(
                BytesPayload.of(row.eventId().getBytes(StandardCharsets.UTF_8), CONTENT_TYPE), row.bytesPayload()));
    }

    @Test
    default void bytes_come_back_as_they_were_written_beside_text() throws SQLException {
        insert(
                event("text", LONG_AGO),
                of("all").payload(everyByte(), "a/b").build(),
                of("none").payload(new byte[0], "a/c").build());

        List<OutboxEvent> read = poll(NOW, 10).stream()
                .sorted(Comparator.comparing(OutboxEvent::eventId))
                .toList();

        assertEquals(BytesPayload.of(everyByte(), "a/b"), read.get(0).bytesPayload());
        assertEquals(BytesPayload.of(new byte[0], "a/c"), read.get(1).bytesPayload());
        assertNull(read.get(2).bytesPayload());
        assertEquals("{\"n\":1}", read.get(2).payloadJson().replace(" ", ""));
    }

    /** Who reads only the text, as an older version does, must not take it for the payload. */
    @Test
    default void instead_of_bytes_the_text_says_that_it_is_not_the_payload() throws SQLException {
        insert(of("a").payload("{}".getBytes(StandardCharsets.UTF_8), "a/b").build());

        String text = poll(NOW, 1).get(0).payloadJson();

        assertNotEquals("{}", text);
        assertEquals('"', text.charAt(0));
        assertThrows(
                IllegalArgumentException.class, () -> JsonCodec.getDefault().parseObject(text));
    }

    @Test
    default void the_text_that_stands_for_bytes_is_no_payload() throws SQLException {
        insert(bytes("a"));
        String text = poll(NOW, 1).get(0).payloadJson();

        assertThrows(
                IllegalArgumentException.class,
                () -> insert(
                        EventEnvelope.builder("OrderPlaced").payloadJson(text).build()));
    }

    @Test
    default void bytes_of_the_largest_size_are_kept_and_so_is_what_a_transformer_adds() throws SQLException {
        byte[] largest = new byte[EventEnvelope.MAX_PAYLOAD_BYTES];
        new Random(1).nextBytes(largest);
        byte[] more = new byte[fixture().mostTransformedBytes()];
        new Random(2).nextBytes(more);
        insert(of("a").payload(largest, "a/b").build());
        insert(of("b").headers(Map.of(PayloadTransformer.KEY_HEADER, "k"))
                .payload(more, EventEnvelope.JSON)
                .build());

        List<OutboxEvent> read = poll(NOW, 2);

        assertEquals(BytesPayload.of(largest, "a/b"), read.get(0).bytesPayload());
        assertEquals(BytesPayload.of(more, EventEnvelope.JSON), read.get(1).bytesPayload());
    }

    @Test
    default void a_batch_of_large_bytes_is_written_whole() throws SQLException {
        byte[] large = new byte[EventEnvelope.MAX_PAYLOAD_BYTES];
        insert(IntStream.range(0, 12)
                .mapToObj(i -> of("big-" + i).payload(large, "a/b").build())
                .toArray(EventEnvelope[]::new));

        assertEquals(12, poll(NOW, 100).size());
    }

    @Test
    default void every_way_to_insert_keeps_bytes() throws SQLException {
        insert(bytes("new"));
        insert(bytes("batch-1"), bytes("batch-2"));
        insert(
                bytes("delayed-1"),
                of("delayed-2")
                        .deliverAfter(Duration.ofMillis(1))
                        .payload(new byte[0], "a/b")
                        .build());
        with(conn -> store().insertOnce(conn, List.of(bytes("once")), DuplicatePolicy.IGNORE));
        with(conn -> store().insertOnce(
                        conn, List.of(bytes("once"), bytes("once-1"), bytes("once-2")), DuplicatePolicy.IGNORE));
        insertLeased("owner", bytes("leased"));
        insertLeased("owner", bytes("leased-1"), bytes("leased-2"));
        with(conn -> leases().insertOnce(
                        conn,
                        List.of(bytes("both-1"), bytes("both-2")),
                        DuplicatePolicy.FAIL,
                        "owner",
                        Set.of("both-1")));

        List<OutboxEvent> read = poll(Instant.now().plusSeconds(60), 100).stream()
                .filter(row -> !row.eventId().equals("delayed-2"))
                .toList();

        assertBytes(
                read,
                "new",
                "batch-1",
                "batch-2",
                "delayed-1",
                "once",
                "once-1",
                "once-2",
                "leased",
                "leased-1",
                "leased-2",
                "both-1",
                "both-2");
    }

    @Test
    default void bytes_may_be_duplicates_as_well() throws SQLException {
        insert(bytes("a"));

        assertThrows(
                RuntimeException.class,
                () -> with(conn -> store().insertOnce(conn, List.of(bytes("b"), bytes("a")), DuplicatePolicy.FAIL)));
        assertBytes(poll(NOW, 10), "a");
    }

    @Test
    default void whatever_reads_events_reads_bytes() throws SQLException {
        insert(bytes("a"), event("text", LONG_AGO), bytes("b"));

        assertBytes(
                claim("timed", NOW, 10).stream()
                        .filter(row -> !row.eventId().equals("text"))
                        .toList(),
                "a",
                "b");
        with(conn -> store().releaseClaims(conn, "timed", List.of("a", "b", "text")));
        with(conn -> store().markDead(conn, "text", "done with"));

        List<Taken> taken = with(conn -> leases().claim(conn, "owner", LOCK_TIMEOUT, Duration.ZERO, 10));
        assertBytes(taken.stream().map(Taken::event).toList(), "a", "b");

        with(conn -> leases().release(conn, "owner", List.of("a", "b")));
        with(conn -> store().markDead(conn, "a", "fatal"));
        assertBytes(
                with(conn -> store().queryDead(conn, null, null, 10)).stream()
                        .filter(row -> row.eventId().equals("a"))
                        .toList(),
                "a");
        assertEquals(1, count(conn -> store().replayDead(conn, "a")));
        assertBytes(
                poll(Instant.now().plusSeconds(60), 10).stream()
                        .filter(row -> row.eventId().equals("a"))
                        .toList(),
                "a");
    }

    @Test
    default void bytes_are_shown_before_they_are_deleted() throws SQLException {
        insert(bytes("a"));
        with(conn -> store().markDone(conn, "a"));
        PurgeRuns runs = fixture().purger().runs();
        assumeTrue(runs != null, "the purger has no runs");
        List<OutboxEvent> shown = new ArrayList<>();
        PurgeRuns.Run run = Objects.requireNonNull(runs)
                .begin(PurgeRuns.Expiry.of(PurgeRunContract.ALL), (conn, events) -> shown.addAll(events));
        while (run.next(fixture()::connect, 10).more()) {
            // until its end
        }

        assertBytes(shown, "a");
        assertNull(fixture().find("a"));
    }
}
