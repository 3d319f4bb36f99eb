package outbox.internal.queue;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;

/** Events that have had their place all the time. */
@Timeout(20)
class FairQueueResumeTest {

    private final FairQueue<String> queue = Words.queue(1, 1);

    @Test
    void there_is_room_in_a_full_queue() {
        queue.offer("a");
        queue.offer("cb");

        assertThat(queue.resume("hc")).isTrue();
        assertThat(queue.resume("cd")).isTrue();
        assertThat(queue.hot().size()).isEqualTo(2);
        assertThat(queue.cold().size()).isEqualTo(2);
        assertThat(queue.hot().room()).isEqualTo(-1);
        assertThat(queue.offer("e")).isFalse();
    }

    @Test
    void there_is_none_after_the_close() {
        queue.close();

        assertThat(queue.resume("a")).isFalse();
        assertThat(queue.hot().size()).isZero();
    }

    @Test
    void a_sleeping_worker_is_woken() throws Exception {
        FutureTask<String> take = new FutureTask<>(queue::take);
        Thread worker = new Thread(take);
        worker.start();
        Await.waiting(worker);
        String event = "cold";
        queue.resume(event);

        assertThat(take.get(10, TimeUnit.SECONDS)).isSameAs(event);
    }
}
