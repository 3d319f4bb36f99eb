package outbox.internal.outcome;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxException;
import outbox.model.EventStatus;
import outbox.testsupport.RecordingStore;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.done;
import static outbox.testsupport.Events.hot;

/** An event whose error has a text that the database does not take must not come back for ever. */
@Timeout(20)
class CompletionWriterRefusedTextTest extends CompletionWriterFixture {

    /** Takes no text but ASCII. */
    private final RecordingStore picky = new RecordingStore() {
        @Override
        public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
            check(error);
            return super.markRetry(conn, eventId, nextAt, error);
        }

        @Override
        public synchronized int markDead(Connection conn, String eventId, String error) {
            check(error);
            return super.markDead(conn, eventId, error);
        }

        private void check(String error) {
            if (!StandardCharsets.US_ASCII.newEncoder().canEncode(error)) {
                throw new OutboxException("refused", new SQLException("no such character", "22021"));
            }
        }
    };

    @BeforeEach
    void addRows() {
        picky.add("a", "b", "c", "d");
    }

    private static Completion retry(String id, String error) {
        return Completions.of(hot(id), new Verdict.Retry(Completions.NEXT_AT, Completions.DELAY, error));
    }

    private static Completion dead(String id, String error) {
        return Completions.of(hot(id, 9), new Verdict.Dead(error));
    }

    @Override
    Marks marks() {
        return new StoreMarks(picky, () -> "nobody", false, CompletionWriter.TIME_LIMIT);
    }

    @Test
    void an_outcome_that_is_refused_for_its_text_is_recorded_with_the_name_of_the_error_alone() {
        write(retry("a", "java.io.IOException: Grüße"), dead("b", "java.lang.IllegalStateException: ä"));

        assertThat(picky.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(picky.error("a")).isEqualTo("java.io.IOException");
        assertThat(picky.status("b")).isEqualTo(EventStatus.DEAD);
        assertThat(picky.error("b")).isEqualTo("java.lang.IllegalStateException");
        assertThat(listener.recorded).containsExactly("a", "b");
        assertThat(listener.givenUp).isEmpty();
        assertThat(pauses).isEmpty();
        assertThat(log.at(Level.WARNING))
                .contains("The database refused the error text of Event a (__GLOBAL__/UserCreated);"
                        + " it is Retry without it");
    }

    @Test
    void a_text_that_does_not_begin_with_a_name_is_replaced_as_a_whole() {
        write(retry("a", "Grüße: x"));
        write(retry("b", "ü"));
        write(retry("c", "x".repeat(500) + ": ü"));

        for (String id : List.of("a", "b", "c")) {
            assertThat(picky.error(id)).isEqualTo("(error text refused by the database)");
        }
    }

    @Test
    void others_of_the_group_keep_their_texts() {
        write(retry("a", "plain: text"), retry("b", "n: ü"), dead("c", "plain: as well"), done("d"));

        assertThat(picky.error("a")).isEqualTo("plain: text");
        assertThat(picky.error("b")).isEqualTo("n");
        assertThat(picky.error("c")).isEqualTo("plain: as well");
        assertThat(listener.recorded).containsExactly("a", "b", "c", "d");
    }

    @Test
    void who_hears_of_it_hears_the_whole_text() {
        Completion refused = dead("a", "name: ü");
        List<Completion> heard = new ArrayList<>();
        listener = new RecordingListener() {
            @Override
            public void recorded(Completion completion) {
                heard.add(completion);
            }
        };
        write(refused);

        assertThat(heard).hasSize(1).first().isSameAs(refused);
    }

    @Test
    void an_outcome_that_is_refused_whatever_its_text_is_given_up_once() {
        picky.refuse("a").refuse("b");
        write(retry("a", "ü"), dead("b", "name: ü"));

        assertThat(listener.recorded).isEmpty();
        assertThat(listener.givenUp).containsExactly("a", "b");
        assertThat(pauses).hasSize(Refusals.MAX - 1);
    }

    @Test
    void an_outcome_without_a_text_is_not_tried_a_second_time_without_it() {
        picky.refuse("a");
        write(done("a"));

        assertThat(picky.groups()).hasSize(Refusals.MAX);
    }
}
