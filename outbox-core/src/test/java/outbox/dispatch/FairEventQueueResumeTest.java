package outbox.dispatch;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/** Events that have had their place all the time. */
@Timeout(20)
class FairEventQueueResumeTest {

    private final FairEventQueue queue = new FairEventQueue(1, 1);

    @Test
    void there_is_room_in_a_full_queue() {
        queue.offer(Source.HOT, hot("a"));
        queue.offer(Source.COLD, cold("b"));

        assertThat(queue.resume(hot("c"))).isTrue();
        assertThat(queue.resume(cold("d"))).isTrue();
        assertThat(queue.hotDepth()).isEqualTo(2);
        assertThat(queue.coldDepth()).isEqualTo(2);
        assertThat(queue.hotRemainingCapacity()).isEqualTo(-1);
        assertThat(queue.offer(Source.HOT, hot("e"))).isFalse();
    }

    @Test
    void there_is_none_after_the_close() {
        queue.close();

        assertThat(queue.resume(hot("a"))).isFalse();
        assertThat(queue.hotDepth()).isZero();
    }

    @Test
    void a_sleeping_worker_is_woken() throws Exception {
        FutureTask<QueuedEvent> take = new FutureTask<>(queue::take);
        Thread worker = new Thread(take);
        worker.start();
        Await.waiting(worker);
        QueuedEvent event = cold("a");
        queue.resume(event);

        assertThat(take.get(10, TimeUnit.SECONDS)).isSameAs(event);
    }
}
