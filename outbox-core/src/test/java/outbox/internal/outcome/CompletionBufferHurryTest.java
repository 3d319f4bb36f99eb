package outbox.internal.outcome;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.ids;

/** A test that needed the linger to end would not end. */
@Timeout(20)
class CompletionBufferHurryTest {

    private final CompletionBuffer buffer =
            new CompletionBuffer(10, Duration.ofDays(1).toMillis());

    @Test
    void a_group_that_lingers_is_taken_when_somebody_waits_for_it() throws Exception {
        FutureTask<List<Completion>> take = new FutureTask<>(() -> buffer.takeGroup(null));
        Thread recorder = new Thread(take);
        buffer.put(done("a"));
        recorder.start();
        Await.waiting(recorder);
        buffer.hurry();

        assertThat(ids(take.get(10, TimeUnit.SECONDS))).containsExactly("a");
    }

    @Test
    void a_group_does_not_linger_when_somebody_waited_before_it_came() throws Exception {
        buffer.hurry();
        buffer.put(done("a"));

        assertThat(ids(buffer.takeGroup(null))).containsExactly("a");
    }

    @Test
    void the_group_after_it_lingers_again() throws Exception {
        buffer.hurry();
        buffer.put(done("a"));
        buffer.takeGroup(null);
        buffer.put(done("b"));
        FutureTask<List<Completion>> take = new FutureTask<>(() -> buffer.takeGroup(null));
        Thread recorder = new Thread(take);
        recorder.start();
        Await.waiting(recorder);

        assertThat(take.isDone()).isFalse();
        buffer.close();
        assertThat(ids(take.get(10, TimeUnit.SECONDS))).containsExactly("b");
    }

    @Test
    void a_hurry_alone_is_no_group() throws Exception {
        FutureTask<List<Completion>> take = new FutureTask<>(() -> buffer.takeGroup(null));
        Thread recorder = new Thread(take);
        recorder.start();
        Await.waiting(recorder);
        buffer.hurry();
        Await.waiting(recorder);
        buffer.put(done("a"));

        assertThat(ids(take.get(10, TimeUnit.SECONDS))).containsExactly("a");
    }
}
