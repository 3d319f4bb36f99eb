package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
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
import static org.junit.jupiter.api.Assumptions.abort;

/** Writing an id once, however often it is asked for. */
interface OnceContract extends LeaseTest {

    /** Time for another thread to come as far as the lock that it must wait at. Too short makes the tests weaker, not wrong. */
    long A_WHILE_MS = 150;

    private List<WriteReceipt> once(Connection conn, DuplicatePolicy policy, EventEnvelope... events) {
        try {
            return store().insertOnce(conn, List.of(events), policy);
        } catch (UnsupportedOperationException e) {
            return abort("the store gives no receipts");
        }
    }

    private List<WriteReceipt> once(DuplicatePolicy policy, EventEnvelope... events) throws SQLException {
        return with(conn -> once(conn, policy, events));
    }

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

    /** The other one waits as long as the transaction is open, and then goes by how it ended. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    default void an_id_in_an_open_transaction_is_waited_for(boolean commit) throws Exception {
        needsTwoWriters("an id in an open transaction is waited for");
        once(DuplicatePolicy.IGNORE); // aborts if there are no receipts
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (Connection conn = fixture().connect()) {
            conn.setAutoCommit(false);
            OptionalLong sequence =
                    once(conn, DuplicatePolicy.FAIL, event("a")).get(0).sequence();
            CountDownLatch begun = new CountDownLatch(1);
            Future<List<WriteReceipt>> waiting = other.submit(() -> with(mine -> {
                mine.setAutoCommit(false);
                store().insertNew(mine, event("business"));
                begun.countDown();
                List<WriteReceipt> receipts = once(mine, DuplicatePolicy.IGNORE, event("a"), event("b"));
                mine.commit();
                mine.setAutoCommit(true);
                return receipts;
            }));
            assertTrue(begun.await(30, TimeUnit.SECONDS));
            assertThrows(TimeoutException.class, () -> waiting.get(A_WHILE_MS, TimeUnit.MILLISECONDS));
            if (commit) {
                conn.commit();
            } else {
                conn.rollback();
            }
            conn.setAutoCommit(true);

            List<WriteReceipt> receipts = waiting.get(30, TimeUnit.SECONDS);
            assertEquals(commit, receipts.get(0).alreadyThere());
            assertEquals(
                    commit && fixture().hasSequence(),
                    sequence.equals(receipts.get(0).sequence()) && sequence.isPresent());
            assertFalse(receipts.get(1).alreadyThere());
            assertNotNull(find("a"));
            assertNotNull(find("b"));
            assertNotNull(find("business"));
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    @Timeout(60)
    default void of_many_who_write_the_same_ids_at_once_each_id_is_written_by_one() throws Exception {
        once(DuplicatePolicy.IGNORE);
        EventEnvelope[] events =
                IntStream.range(0, 20).mapToObj(i -> event("e" + i)).toArray(EventEnvelope[]::new);

        List<String> written = concurrently(
                4,
                owner -> once(DuplicatePolicy.IGNORE, events).stream()
                        .filter(receipt -> !receipt.alreadyThere())
                        .map(WriteReceipt::eventId)
                        .toList());

        assertEquals(20, written.size());
        assertEquals(20, Set.copyOf(written).size());
    }

    private List<WriteReceipt> onceLeased(String owner, Set<String> leased, EventEnvelope... events)
            throws SQLException {
        once(DuplicatePolicy.IGNORE);
        return with(conn -> leases().insertOnce(conn, List.of(events), DuplicatePolicy.IGNORE, owner, leased));
    }

    @Test
    default void those_that_are_written_are_leased_if_they_are_to_be_and_the_others_are_left_alone()
            throws SQLException {
        insert(event("there"));

        List<WriteReceipt> receipts =
                onceLeased("owner", new HashSet<>(List.of("a", "there")), event("a"), event("there"), event("b"));

        assertEquals(
                List.of(false, true, false),
                receipts.stream().map(WriteReceipt::alreadyThere).toList());
        assertEquals("owner", find("a").lockedBy());
        assertNotNull(find("a").lockedAt());
        assertNull(find("there").lockedBy());
        assertNull(find("b").lockedBy());
        assertNull(find("b").lockedAt());
        assertEquals(Set.of("there", "b"), Set.copyOf(lease("other")));
    }

    @Test
    default void a_lease_that_somebody_else_has_is_not_touched() throws SQLException {
        insertLeased("first", event("a"));
        StoredEvent before = find("a");

        onceLeased("second", Set.of("a"), event("a"));

        assertEquals(before, find("a"));
    }
}
