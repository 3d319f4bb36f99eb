package outbox.testing.contract;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;
import outbox.spi.OrderedStore.Standing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Payloads that are not text, in order. */
interface OrderBytesContract extends OrderTest {

    /** As {@link #keyed(String)}, with bytes of its own. */
    private EventEnvelope bytes(String id) {
        return bytes(id, id.substring(0, 1));
    }

    private EventEnvelope bytes(String id, @Nullable String key) {
        assumeTrue(fixture().keepsBytes(), "the table keeps no bytes");
        return keyed(id).toBuilder()
                .aggregateId(key)
                .payload(id.getBytes(StandardCharsets.UTF_8), "a/b")
                .build();
    }

    @Test
    default void bytes_are_inserted_in_order_and_claimed_in_order() throws SQLException {
        List<Standing> one = with(conn -> order().insert(conn, List.of(bytes("a1")), "owner"));
        List<Standing> several = with(conn ->
                order().insert(conn, List.of(bytes("a2"), keyed("b1"), bytes("b2"), bytes("c1", null)), "owner"));
        with(conn -> order().insertOnce(conn, List.of(bytes("d1")), DuplicatePolicy.FAIL, "owner"));
        with(conn -> order().insertOnce(
                        conn, List.of(bytes("d1"), bytes("d2"), keyed("d3")), DuplicatePolicy.IGNORE, "owner"));

        assertEquals(1, one.size());
        assertEquals(4, several.size());
        letLeasesExpire();
        List<OutboxEvent> claimed = claimInOrder("other", 100).runs().stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event())
                .toList();

        assertEquals(List.of("a1", "a2"), ofKey("a", ids(claimed)));
        assertEquals(List.of("b1", "b2"), ofKey("b", ids(claimed)));
        assertEquals(List.of("d1", "d2", "d3"), ofKey("d", ids(claimed)));
        assertEquals(8, claimed.size());
        for (OutboxEvent row : claimed) {
            boolean text = List.of("b1", "d3").contains(row.eventId());
            assertEquals(
                    text ? null : BytesPayload.of(row.eventId().getBytes(StandardCharsets.UTF_8), "a/b"),
                    row.bytesPayload());
        }
    }
}
