package outbox.internal.outcome;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.model.EventStatus;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.ThrowingLog;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.ids;

@Timeout(20)
class RecorderTest {

    private final CapturedLog log = new CapturedLog();
    private final List<List<String>> written = new CopyOnWriteArrayList<>();
    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final CountDownLatch firstWritten = new CountDownLatch(1);
    private final Queue<Error> failures = new ConcurrentLinkedQueue<>();
    private final CompletionWriter.Listener listener = new CompletionWriter.Listener() {
        @Override
        public void recorded(Completion completion) {
            failIfTold();
            reports.add("recorded " + completion.eventId());
            firstWritten.countDown();
        }

        @Override
        public void tooLate(Completion completion) {
            reports.add("too late " + completion.eventId());
        }

        @Override
        public void givenUp(Completion completion) {
            reports.add("given up " + completion.eventId());
        }
    };
    private boolean failReports;

    private void failIfTold() {
        Error next = failReports ? failures.poll() : null;
        if (next != null) {
            throw next;
        }
    }

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void writes_group_after_group_and_ends_when_the_buffer_is_closed_and_empty() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        put(buffer, "a", "b", "c");
        buffer.close();
        recorder(buffer, time -> true).run();

        assertThat(written).containsExactly(List.of("a", "b"), List.of("c"));
    }

    @Test
    void a_group_over_which_memory_runs_out_again_and_again_is_given_up_and_the_next_one_is_written() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "bad", "b");
        buffer.close();
        failures.addAll(Collections.nCopies(Recorder.MAX_FAILURES, new OutOfMemoryError("heap")));
        recorder(buffer, time -> true).run();

        assertThat(written)
                .containsExactlyElementsOf(Stream.concat(
                                Collections.nCopies(Recorder.MAX_FAILURES, List.of("bad")).stream(),
                                Stream.of(List.of("b")))
                        .toList());
        assertThat(reports).containsExactly("given up bad", "recorded b");
        assertThat(log.at(Level.SEVERE))
                .hasSize(Recorder.MAX_FAILURES)
                .containsOnly("Recorder failed; it tries what is left of the group again");
    }

    @Test
    void a_writer_that_fails_otherwise_gives_the_group_up_at_once_and_the_next_one_is_written() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "bad", "b");
        buffer.close();
        CompletionWriter.Pause broken = time -> {
            throw new IllegalStateException("pause is broken");
        };
        recorder(buffer, broken).run();

        assertThat(written).containsExactly(List.of("bad"), List.of("b"));
        assertThat(reports).containsExactly("given up bad", "recorded b");
    }

    @Test
    void a_group_over_which_memory_runs_out_is_kept_and_written_when_there_is_some_again() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        put(buffer, "a", "b", "c");
        buffer.close();
        failures.addAll(List.of(new OutOfMemoryError("heap"), new OutOfMemoryError("heap")));
        recorder(buffer, time -> true).run();

        assertThat(written).containsExactly(List.of("a", "b"), List.of("a", "b"), List.of("a", "b"), List.of("c"));
        assertThat(reports).containsExactly("recorded a", "recorded b", "recorded c");
    }

    @Test
    void what_was_written_but_not_reported_for_lack_of_memory_is_reported_later_and_not_written_again()
            throws Exception {
        failReports = true;
        CompletionBuffer buffer = new CompletionBuffer(3, 0);
        put(buffer, "a", "b", "c");
        buffer.close();
        failures.addAll(List.of(new OutOfMemoryError("heap"), new OutOfMemoryError("heap")));
        recorder(buffer, time -> true).run();

        assertThat(written).containsExactly(List.of("a", "b", "c"));
        assertThat(reports).containsExactlyInAnyOrder("recorded a", "recorded b", "recorded c");
    }

    @Test
    void when_there_is_no_time_left_a_group_that_fails_is_given_up() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(2, 0);
        put(buffer, "a", "b");
        buffer.close();
        failures.add(new OutOfMemoryError("heap"));
        recorder(buffer, time -> false).run();

        assertThat(reports).containsExactly("given up a", "given up b");
    }

    @Test
    void a_log_that_is_out_of_memory_as_well_does_not_end_it() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        put(buffer, "a");
        buffer.close();
        failures.add(new OutOfMemoryError("heap"));
        try (ThrowingLog broken = new ThrowingLog(() -> new OutOfMemoryError("heap"))) {
            recorder(buffer, time -> true).run();
            assertThat(broken.lines()).isPositive();
        }

        assertThat(reports).containsExactly("recorded a");
    }

    @Test
    void an_interrupt_does_not_end_it_while_the_buffer_is_open() throws Exception {
        CompletionBuffer buffer = new CompletionBuffer(10, 0);
        Thread thread = new Thread(recorder(buffer, time -> true));
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

    @Test
    void comes_back_to_locked_rows_between_groups_and_ends_when_they_are_free() throws Exception {
        RecordingStore store = new RecordingStore().add("a", "b").lockElsewhere("a");
        CompletionBuffer buffer = new CompletionBuffer(1, 0);
        Marks marks = new StoreMarks(store, () -> "nobody", false, CompletionWriter.TIME_LIMIT);
        put(buffer, "a", "b");
        Thread thread = new Thread(recorder(buffer, marks, time -> true));
        thread.start();
        Await.opened(firstWritten);
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
        buffer.close();
        store.unlockElsewhere("a");
        thread.join(Duration.ofSeconds(10).toMillis());

        assertThat(thread.isAlive()).isFalse();
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    private Recorder recorder(CompletionBuffer buffer, CompletionWriter.Pause pause) {
        Marks marks = new TestMarks(group -> {
            written.add(ids(group));
            Error next = failReports ? null : failures.poll();
            if (next != null) {
                throw next;
            }
            if (ids(group).contains("bad")) {
                throw new IllegalStateException("refused");
            }
            return Set.of();
        });
        return recorder(buffer, marks, pause);
    }

    private Recorder recorder(CompletionBuffer buffer, Marks marks, CompletionWriter.Pause pause) {
        return new Recorder(
                buffer,
                10,
                told -> new CompletionWriter(StubConnections.autoCommitting(), marks, pause, told),
                pause,
                listener);
    }

    private static void put(CompletionBuffer buffer, String... ids) {
        for (String id : ids) {
            assertThat(buffer.put(done(id))).isTrue();
        }
    }
}
