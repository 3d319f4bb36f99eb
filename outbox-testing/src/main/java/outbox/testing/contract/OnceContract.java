package outbox.testing.contract;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.DuplicateEventException;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.EventStatus;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Writing an id once, however often it is asked for. */
interface OnceContract extends OnceTest {

    private void assertCounted(List<WriteReceipt> receipts) {
        List<Long> sequences = new ArrayList<>();
        for (WriteReceipt receipt : receipts) {
            assertEquals(fixture().hasSequence(), receipt.sequence().isPresent(), receipt::toString);
            receipt.sequence().ifPresent(sequences::add);
        }
        assertEquals(sequences.stream().sorted().distinct().toList(), sequences, "sequences grow with the inserts");
    }

    @ParameterizedTest
    @EnumSource(DuplicatePolicy.class)
    default void new_events_are_written_and_get_growing_sequences(DuplicatePolicy policy) throws SQLException {
        List<WriteReceipt> receipts = new ArrayList<>(once(policy, event("z")));
        receipts.addAll(once(policy, event("c"), event("a"), event("b")));
        receipts.addAll(once(policy, event("y")));

        assertEquals(
                List.of("z", "c", "a", "b", "y"),
                receipts.stream().map(WriteReceipt::eventId).toList());
        assertTrue(receipts.stream().noneMatch(WriteReceipt::alreadyThere));
        assertCounted(receipts);
        assertEquals(new StoredEvent("a", EventStatus.NEW, 0, LONG_AGO, LONG_AGO, null, null, null, null), find("a"));
    }

    @Test
    default void an_empty_batch_has_no_receipts() throws SQLException {
        assertEquals(List.of(), once(DuplicatePolicy.FAIL));
    }

    @Test
    default void an_event_that_is_there_stays_as_it_is_and_its_sequence_is_read_back() throws SQLException {
        WriteReceipt first = once(DuplicatePolicy.IGNORE, event("e1")).get(0);
        with(conn -> store().markDone(conn, "e1"));
        StoredEvent done = find("e1");

        List<WriteReceipt> again = once(DuplicatePolicy.IGNORE, event("e1", NOW));

        assertEquals(List.of(new WriteReceipt("e1", first.sequence(), true)), again);
        assertEquals(done, find("e1"));
    }

    @Test
    default void a_batch_writes_what_is_not_there_yet() throws SQLException {
        insert(event("b"), event("d"));

        List<WriteReceipt> receipts =
                once(DuplicatePolicy.IGNORE, event("a"), event("b"), event("c"), event("d"), event("e"));

        assertEquals(
                List.of(false, true, false, true, false),
                receipts.stream().map(WriteReceipt::alreadyThere).toList());
        assertCounted(List.of(receipts.get(1), receipts.get(3), receipts.get(0), receipts.get(2), receipts.get(4)));
        for (String id : List.of("a", "b", "c", "d", "e")) {
            assertEquals(EventStatus.NEW, find(id).status());
        }
    }

    @Test
    default void a_batch_of_which_everything_is_there_writes_nothing() throws SQLException {
        List<WriteReceipt> first = once(DuplicatePolicy.IGNORE, event("a"), event("b"));

        List<WriteReceipt> again = once(DuplicatePolicy.IGNORE, event("b"), event("a"));

        assertEquals(
                List.of(
                        WriteReceipt.alreadyThere("b", first.get(1).sequence()),
                        WriteReceipt.alreadyThere("a", first.get(0).sequence())),
                again);
    }

    @Test
    default void an_id_that_is_given_twice_is_written_once() throws SQLException {
        List<WriteReceipt> receipts = once(DuplicatePolicy.IGNORE, event("a"), event("b"), event("a"));

        assertEquals(
                List.of(false, false, true),
                receipts.stream().map(WriteReceipt::alreadyThere).toList());
        assertEquals(receipts.get(0).sequence(), receipts.get(2).sequence());
        assertCounted(receipts.subList(0, 2));
    }

    @Test
    default void what_the_same_transaction_has_written_is_there() throws SQLException {
        with(conn -> {
            conn.setAutoCommit(false);
            store().insertNew(conn, event("a"));
            assertTrue(once(conn, DuplicatePolicy.IGNORE, event("a"), event("b"))
                    .get(0)
                    .alreadyThere());
            conn.commit();
            conn.setAutoCommit(true);
            return true;
        });

        assertNotNull(find("b"));
    }

    @Test
    default void refused_duplicates_are_named_and_leave_a_usable_transaction_without_the_rest_of_the_batch()
            throws SQLException {
        once(DuplicatePolicy.FAIL, event("b"), event("d"));
        with(conn -> {
            conn.setAutoCommit(false);
            store().insertNew(conn, event("before"));
            DuplicateEventException refused = assertThrows(
                    DuplicateEventException.class,
                    () -> once(conn, DuplicatePolicy.FAIL, event("a"), event("b"), event("c"), event("d")));
            assertEquals(List.of("b", "d"), refused.eventIds());
            DuplicateEventException single =
                    assertThrows(DuplicateEventException.class, () -> once(conn, DuplicatePolicy.FAIL, event("b")));
            assertTrue(String.valueOf(single.getMessage()).contains(": b."), single::getMessage);
            DuplicateEventException twice = assertThrows(
                    DuplicateEventException.class,
                    () -> once(conn, DuplicatePolicy.FAIL, event("x"), event("y"), event("x")));
            assertEquals(List.of("x"), twice.eventIds());
            store().insertNew(conn, event("after"));
            conn.commit();
            conn.setAutoCommit(true);
            return true;
        });

        assertNotNull(fixture().find("before"));
        assertNotNull(fixture().find("after"));
        for (String id : List.of("a", "c", "x", "y")) {
            assertNull(fixture().find(id), id);
        }
    }

    @Test
    default void a_rolled_back_write_leaves_the_id_free() throws SQLException {
        with(conn -> {
            conn.setAutoCommit(false);
            once(conn, DuplicatePolicy.FAIL, event("a"));
            conn.rollback();
            conn.setAutoCommit(true);
            return true;
        });

        assertFalse(once(DuplicatePolicy.FAIL, event("a")).get(0).alreadyThere());
    }

    @Test
    default void more_events_than_fit_into_a_statement_all_get_receipts() throws SQLException {
        insert(event("e17"), event("e5999"));
        List<WriteReceipt> receipts = once(
                DuplicatePolicy.IGNORE,
                IntStream.range(0, 6_000).mapToObj(i -> event("e" + i)).toArray(EventEnvelope[]::new));

        assertEquals(
                List.of("e17", "e5999"),
                receipts.stream()
                        .filter(WriteReceipt::alreadyThere)
                        .map(WriteReceipt::eventId)
                        .toList());
        assertEquals(6_000, poll(NOW, 10_000).size());
    }
}
