package outbox.testing.contract;

import java.sql.Connection;
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
import org.junit.jupiter.params.provider.ValueSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An id is written once, also if several transactions write it at the same time. */
interface OnceRaceContract extends OnceTest {

    /** Time for another thread to come as far as the lock that it must wait at. Too short makes the tests weaker, not wrong. */
    long A_WHILE_MS = 150;

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
}
