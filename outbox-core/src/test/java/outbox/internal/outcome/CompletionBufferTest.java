package outbox.internal.outcome;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.ids;

@Timeout(20)
class CompletionBufferTest {

    /** A test that needed the linger to end would not end. */
    private static final long FOR_EVER = Duration.ofDays(1).toMillis();

    /** A call in a thread of its own. */
    private static final class Call<T> {
        private final FutureTask<T> result;
        private final Thread thread;

        private Call(Callable<T> call) {
            result = new FutureTask<>(call);
            thread = new Thread(result);
            thread.start();
        }

        private Call<T> thatWaits() {
            Await.waiting(thread);
            assertThat(result.isDone()).isFalse();
            return this;
        }

        private T result() throws Exception {
            return result.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_group_is_taken_when_it_has_lingered() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(10, 1);
        put(buffer, "a", "b");

        assertThat(take(buffer)).containsExactly("a", "b");
    }

    @Test
    void a_lingering_group_waits_as_long_as_it_was_told() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(10, 30);
        put(buffer, "a");
        long start = System.nanoTime();
        take(buffer);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(30));
    }

    @Test
    void a_full_group_is_taken_at_once() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(3, FOR_EVER);
        put(buffer, "a", "b", "c");

        assertThat(take(buffer)).containsExactly("a", "b", "c");
    }

    @Test
    void what_comes_while_a_group_lingers_shares_it_and_fills_it() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(3, FOR_EVER);
        put(buffer, "a");
        Call<List<String>> taker = new Call<>(() -> take(buffer)).thatWaits();
        put(buffer, "b");
        taker.thatWaits();
        put(buffer, "c");

        assertThat(taker.result()).containsExactly("a", "b", "c");
    }

    @Test
    void the_first_completion_wakes_the_one_who_waits_for_it() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(3, 0);
        Call<List<String>> taker = new Call<>(() -> take(buffer)).thatWaits();
        put(buffer, "a");

        assertThat(taker.result()).containsExactly("a");
    }

    @Test
    void without_linger_a_group_is_what_is_there() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(3, 0);
        put(buffer, "a", "b");

        assertThat(take(buffer)).containsExactly("a", "b");
    }

    @Test
    void no_group_is_larger_than_its_size_and_the_order_is_kept() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(3, 0);
        put(buffer, "a", "b", "c", "d", "e", "f", "g", "h");

        assertThat(take(buffer)).containsExactly("a", "b", "c");
        assertThat(take(buffer)).containsExactly("d", "e", "f");
        assertThat(take(buffer)).containsExactly("g", "h");
    }

    @Test
    void after_the_close_nothing_lingers_and_the_end_is_an_empty_group() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        put(buffer, "a", "b", "c");
        buffer.close();

        assertThat(take(buffer)).containsExactly("a", "b");
        assertThat(take(buffer)).containsExactly("c");
        assertThat(take(buffer)).isEmpty();
        assertThat(take(buffer)).isEmpty();
    }

    @Test
    void the_close_ends_a_linger() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        put(buffer, "a");
        Call<List<String>> taker = new Call<>(() -> take(buffer)).thatWaits();
        buffer.close();

        assertThat(taker.result()).containsExactly("a");
    }

    @Test
    void the_close_ends_the_wait_for_a_first_completion() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        Call<List<String>> taker = new Call<>(() -> take(buffer)).thatWaits();
        buffer.close();

        assertThat(taker.result()).isEmpty();
    }

    @Test
    void a_full_buffer_makes_its_feeders_wait_until_a_group_was_taken() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        put(buffer, "a", "b", "c", "d", "e", "f", "g", "h");
        Call<Boolean> ninth = new Call<>(() -> buffer.put(done("i"))).thatWaits();
        Call<Boolean> tenth = new Call<>(() -> buffer.put(done("j"))).thatWaits();

        assertThat(take(buffer)).containsExactly("a", "b");
        assertThat(ninth.result()).isTrue();
        assertThat(tenth.result()).isTrue();
        new Call<>(() -> buffer.put(done("k"))).thatWaits();
        List<String> rest = new ArrayList<>();
        while (rest.size() < 9) {
            rest.addAll(take(buffer));
        }
        assertThat(rest).startsWith("c", "d", "e", "f", "g", "h").endsWith("k").contains("i", "j");
    }

    @Test
    void completions_that_were_taken_and_wait_elsewhere_leave_less_room() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        buffer.keepRoomFor(7);
        put(buffer, "a");
        Call<Boolean> second = new Call<>(() -> buffer.put(done("b"))).thatWaits();
        assertThat(take(buffer)).containsExactly("a");
        assertThat(second.result()).isTrue();
        Call<Boolean> third = new Call<>(() -> buffer.put(done("c"))).thatWaits();
        buffer.keepRoomFor(6);

        assertThat(third.result()).isTrue();
    }

    @Test
    void who_has_something_else_to_do_waits_no_longer_than_that_and_does_not_end_the_buffer() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);

        assertThat(buffer.takeGroup(Duration.ZERO)).isEmpty();
        assertThat(buffer.takeGroup(Duration.ofMillis(1))).isEmpty();
        assertThat(buffer.isEnded()).isFalse();
        put(buffer, "a", "b");
        assertThat(ids(buffer.takeGroup(Duration.ZERO))).containsExactly("a", "b");
        buffer.close();
        assertThat(buffer.takeGroup(Duration.ZERO)).isEmpty();
        assertThat(buffer.isEnded()).isTrue();
    }

    @Test
    void a_first_completion_ends_a_limited_wait_and_lingers() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        Call<List<String>> taker = new Call<>(() -> ids(buffer.takeGroup(Duration.ofDays(1)))).thatWaits();
        put(buffer, "a");
        taker.thatWaits();
        put(buffer, "b");

        assertThat(taker.result()).containsExactly("a", "b");
    }

    @Test
    void an_interrupt_does_not_end_the_wait_for_room() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "a", "b", "c", "d");
        Call<Boolean> feeder = new Call<>(() -> buffer.put(done("e"))).thatWaits();
        feeder.thread.interrupt();
        feeder.thatWaits();

        assertThat(take(buffer)).containsExactly("a");
        assertThat(feeder.result()).isTrue();
    }

    @Test
    void an_interrupt_that_came_before_does_not_keep_a_completion_outside() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        Thread.currentThread().interrupt();
        put(buffer, "a");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(take(buffer)).containsExactly("a");
    }

    @Test
    void when_there_is_no_time_left_who_finds_no_room_is_refused() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "a", "b", "c", "d");
        Call<Boolean> waiting = new Call<>(() -> buffer.put(done("e"))).thatWaits();
        buffer.refuseWhenFull();

        assertThat(waiting.result()).isFalse();
        assertThat(buffer.put(done("f"))).isFalse();
        assertThat(take(buffer)).containsExactly("a");
        assertThat(buffer.put(done("g"))).isTrue();
    }

    @Test
    void an_interrupt_ends_the_wait_for_a_group_and_loses_nothing() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        put(buffer, "a");
        Call<List<String>> taker = new Call<>(() -> take(buffer)).thatWaits();
        taker.thread.interrupt();

        assertInterrupted(taker);
        put(buffer, "b");
        assertThat(take(buffer)).containsExactly("a", "b");
    }

    @Test
    void what_comes_after_the_close_is_accepted_as_long_as_groups_are_taken() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        put(buffer, "a");
        buffer.close();
        assertThat(take(buffer)).containsExactly("a");

        assertThat(buffer.put(done("b"))).isTrue();
        assertThat(take(buffer)).containsExactly("b");
    }

    @Test
    void what_comes_after_the_last_group_is_refused() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, FOR_EVER);
        buffer.close();
        assertThat(take(buffer)).isEmpty();

        assertThat(buffer.put(done("a"))).isFalse();
        assertThat(take(buffer)).isEmpty();
    }

    private static void assertInterrupted(Call<?> call) {
        assertThatThrownBy(call::result)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
    }

    private static void put(CompletionBuffer buffer, String... ids) throws InterruptedException {
        for (String id : ids) {
            assertThat(buffer.put(done(id))).isTrue();
        }
    }

    private static List<String> take(CompletionBuffer buffer) throws InterruptedException {
        return ids(buffer.takeGroup(null));
    }
}
