package outbox.internal.outcome;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import outbox.spi.ConnectionProvider;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/** A writer of completions, a table to write them to, and somebody who hears what became of them. */
abstract class CompletionWriterFixture {

    /** Keeps what it hears. */
    static class RecordingListener implements CompletionWriter.Listener {
        final List<String> recorded = new ArrayList<>();
        final List<String> tooLate = new ArrayList<>();
        final List<String> givenUp = new ArrayList<>();

        @Override
        public void recorded(Completion completion) {
            recorded.add(completion.eventId());
        }

        @Override
        public void tooLate(Completion completion) {
            tooLate.add(completion.eventId());
        }

        @Override
        public void givenUp(Completion completion) {
            givenUp.add(completion.eventId());
        }
    }

    final CapturedLog log = new CapturedLog();
    final RecordingStore store = new RecordingStore().add("a", "b", "c");
    final List<Long> pauses = new ArrayList<>();
    StubConnections connections = StubConnections.autoCommitting();
    RecordingListener listener = new RecordingListener();
    Runnable duringPause = () -> {};

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    void write(Completion... group) {
        write(List.of(group));
    }

    void write(List<Completion> group) {
        write(connections, group);
    }

    void write(ConnectionProvider provider, List<Completion> group) {
        CompletionWriter.Pause patient = time -> {
            pauses.add(time.toMillis());
            duringPause.run();
            return true;
        };
        new CompletionWriter(provider, marks(), patient, listener).write(group);
    }

    Marks marks() {
        return new StoreMarks(store, () -> "nobody", false, CompletionWriter.TIME_LIMIT);
    }
}
