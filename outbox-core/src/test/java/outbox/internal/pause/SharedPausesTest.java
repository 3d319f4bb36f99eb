package outbox.internal.pause;

import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxException;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.spi.MissingPauseTableException;
import outbox.spi.PauseStore;
import outbox.testsupport.Await;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

class SharedPausesTest {

    private static final Pause PAUSE =
            new Pause(PauseTarget.eventType("OrderPlaced"), "stocktaking", "ann", Instant.EPOCH);

    private final AtomicInteger readings = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();
    private final PauseBoard board = new PauseBoard();
    private volatile Supplier<List<Pause>> table = List::of;

    private final SharedPauses pauses =
            new SharedPauses(new Table(), StubConnections.autoCommitting(), board, "t", now::get);

    private final class Table implements PauseStore {

        @Override
        public List<Pause> pauses(Connection conn) {
            readings.incrementAndGet();
            return table.get();
        }

        @Override
        public void pause(Connection conn, PauseTarget target, String reason, String who) {
            throw new AssertionError("is only read here");
        }

        @Override
        public boolean resume(Connection conn, PauseTarget target) {
            throw new AssertionError("is only read here");
        }
    }

    @AfterEach
    void close() {
        pauses.close();
    }

    private void later(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private static List<Pause> away() {
        throw new OutboxException("no", new SQLTransientConnectionException("gone", "08006"));
    }

    private static List<Pause> missing() {
        throw new MissingPauseTableException("there is none", null);
    }

    private static List<Pause> refused() {
        throw new OutboxException("no", new java.sql.SQLException("denied", "42501"));
    }

    @Test
    void before_the_first_delivery_it_is_read() {
        table = () -> List.of(PAUSE);

        assertThat(pauses.areKnown()).isTrue();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
        assertThat(readings).hasValue(1);
    }

    @Test
    void nothing_is_read_while_nothing_is_delivered() {
        assertThat(pauses.areKnown()).isTrue();
        later(Duration.ofHours(1));

        assertThat(readings).hasValue(1);
    }

    @Test
    void who_delivers_again_after_a_while_waits_for_the_table() {
        assertThat(pauses.areKnown()).isTrue();
        later(SharedPauses.STALE.plusMillis(1));
        table = () -> List.of(PAUSE);

        assertThat(pauses.areKnown()).isTrue();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
    }

    @Test
    void while_something_is_delivered_it_is_read_in_the_background() {
        assertThat(pauses.areKnown()).isTrue();
        CountDownLatch answer = new CountDownLatch(1);
        table = () -> {
            awaitQuietly(answer);
            return List.of(PAUSE);
        };
        later(SharedPauses.READ_AGAIN);

        assertThat(pauses.areKnown()).isTrue(); // without waiting for the answer
        assertThat(board.all()).isEmpty();
        answer.countDown();
        Await.until(() -> board.isPaused("OrderPlaced"));
    }

    @Test
    void what_is_known_is_not_read_for_each_delivery() {
        for (int i = 0; i < 1000; i++) {
            assertThat(pauses.areKnown()).isTrue();
        }

        assertThat(readings).hasValue(1);
    }

    @Test
    void what_is_paused_is_read_again_without_a_delivery() {
        table = () -> List.of(PAUSE);
        assertThat(pauses.areKnown()).isTrue();
        table = List::of;

        Await.until(() -> board.all().isEmpty());
    }

    @Test
    void what_was_paused_during_deliveries_is_read_again_without_one() {
        assertThat(pauses.areKnown()).isTrue();
        table = () -> List.of(PAUSE);
        later(SharedPauses.READ_AGAIN);
        assertThat(pauses.areKnown()).isTrue();
        Await.until(() -> board.isPaused("OrderPlaced"));
        table = List::of;

        Await.until(() -> board.all().isEmpty());
    }

    @Test
    void what_was_paused_here_for_all_is_read_again_without_a_delivery() {
        assertThat(pauses.areKnown()).isTrue();
        table = () -> List.of(PAUSE);
        pauses.changed();
        table = List::of;

        Await.until(() -> board.all().isEmpty());
    }

    @Test
    void as_long_as_nothing_could_be_known_nothing_is_delivered() {
        table = SharedPausesTest::away;
        assertThat(pauses.areKnown()).isFalse();
        table = () -> List.of(PAUSE);
        later(SharedPauses.READ_AGAIN);

        assertThat(pauses.areKnown()).isTrue();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
    }

    @Test
    void in_an_outage_what_was_known_goes_on_to_count() {
        table = () -> List.of(PAUSE);
        assertThat(pauses.areKnown()).isTrue();
        table = SharedPausesTest::away;
        later(Duration.ofMinutes(1));

        assertThat(pauses.areKnown()).isTrue();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
    }

    @Test
    void without_a_table_nothing_is_paused_and_it_is_looked_for_again_later() {
        table = SharedPausesTest::missing;
        assertThat(pauses.areKnown()).isTrue();
        later(Duration.ofSeconds(30));
        assertThat(pauses.areKnown()).isTrue();
        assertThat(readings).hasValue(1);
        table = () -> List.of(PAUSE);
        later(SharedPauses.LOOK_FOR_TABLE);

        assertThat(pauses.areKnown()).isTrue();
        Await.until(() -> board.isPaused("OrderPlaced"));
    }

    @Test
    void a_table_that_may_not_be_read_stops_nothing() {
        table = SharedPausesTest::refused;

        assertThat(pauses.areKnown()).isTrue();
    }

    @Test
    void a_change_made_here_is_known_here_at_once() {
        assertThat(pauses.areKnown()).isTrue();
        table = () -> List.of(PAUSE);
        pauses.changed();

        assertThat(board.isPaused("OrderPlaced")).isTrue();
    }

    @Test
    void after_its_close_it_reads_nothing_and_holds_up_nobody() {
        pauses.close();

        assertThat(pauses.areKnown()).isFalse();
        assertThat(readings).hasValue(0);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
