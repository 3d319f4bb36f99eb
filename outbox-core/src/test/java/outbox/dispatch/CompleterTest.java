package outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.dispatch.Completions.done;
import static outbox.dispatch.Completions.ids;

@Timeout(20)
class CompleterTest {

    private final CapturedLog log = new CapturedLog();
    private final List<List<String>> written = new CopyOnWriteArrayList<>();
    private final CountDownLatch firstWritten = new CountDownLatch(1);
    private final CompletionWriter.Listener nobody = new CompletionWriter.Listener() {
        @Override
        public void recorded(Completion completion) {
            firstWritten.countDown();
        }

        @Override
        public void tooLate(Completion completion) {}

        @Override
        public void givenUp(Completion completion) {}
    };

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void writes_group_after_group_and_ends_when_the_buffer_is_closed_and_empty() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        put(buffer, "a", "b", "c");
        buffer.close();
        completer(buffer, time -> true).run();

        assertThat(written).containsExactly(List.of("a", "b"), List.of("c"));
    }

    @Test
    void goes_on_after_a_writer_that_fails() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "bad", "b");
        buffer.close();
        CompletionWriter.Pause broken = time -> {
            throw new IllegalStateException("pause is broken");
        };
        completer(buffer, broken).run();

        assertThat(written).containsExactly(List.of("bad"), List.of("b"));
        assertThat(log.at(Level.SEVERE)).containsExactly("Completer failed; it goes on with the next group");
    }

    @Test
    void an_interrupt_does_not_end_it_while_the_buffer_is_open() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(10, 0);
        Thread thread = new Thread(completer(buffer, time -> true));
        thread.start();
        Await.waiting(thread);
        thread.interrupt();
        put(buffer, "a");
        Await.opened(firstWritten);
        assertThat(thread.isAlive()).isTrue();
        buffer.close();
        thread.join(Duration.ofSeconds(10).toMillis());

        assertThat(thread.isAlive()).isFalse();
        assertThat(written).containsExactly(List.of("a"));
    }

    private Completer completer(CompletionBuffer buffer, CompletionWriter.Pause pause) {
        CompletionWriter.Marks marks = (conn, group) -> {
            written.add(ids(group));
            if (ids(group).contains("bad")) {
                throw new IllegalStateException("refused");
            }
            return Set.of();
        };
        return new Completer(buffer, new CompletionWriter(StubConnections.autoCommitting(), marks, pause, nobody));
    }

    private static void put(CompletionBuffer buffer, String... ids) throws InterruptedException {
        for (String id : ids) {
            assertThat(buffer.put(done(id))).isTrue();
        }
    }
}
