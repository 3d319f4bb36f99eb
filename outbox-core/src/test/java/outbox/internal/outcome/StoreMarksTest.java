package outbox.internal.outcome;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.testsupport.RecordingStore;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.NEXT_AT;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;

class StoreMarksTest {

    private static final boolean DELETE = true;
    private static final boolean MARK = false;

    private final RecordingStore store = new RecordingStore().add("a", "b", "c", "d", "e", "f");

    @Test
    void each_kind_is_one_call_whatever_the_order() {
        write(MARK, dead("a"), done("b"), retry("c"), done("d"), retry("e"), dead("f"));

        assertThat(store.groups()).containsExactly("markDoneAll [b, d]", "markRetryAll [c, e]", "markDeadAll [a, f]");
    }

    @Test
    void a_kind_of_which_there_is_none_is_no_call() {
        write(MARK, done("a"));
        write(MARK, retry("b"));
        write(MARK, dead("c"));
        write(DELETE, dead("d"));

        assertThat(store.groups())
                .containsExactly("markDoneAll [a]", "markRetryAll [b]", "markDeadAll [c]", "markDeadAll [d]");
    }

    @Test
    void time_and_error_are_passed_on() {
        write(MARK, retry("a"), dead("b"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(NEXT_AT);
        assertThat(store.error("a")).isEqualTo("error of a");
        assertThat(store.status("b")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("b")).isEqualTo("error of b");
    }

    @Test
    void delete_on_success_deletes_what_was_delivered_and_marks_what_failed() {
        write(DELETE, done("a"), retry("b"), dead("c"), done("d"));

        assertThat(store.groups()).containsExactly("deleteAll [a, d]", "markRetryAll [b]", "markDeadAll [c]");
        assertThat(store.contains("a")).isFalse();
        assertThat(store.contains("d")).isFalse();
        assertThat(store.status("b")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("c")).isEqualTo(EventStatus.DEAD);
    }

    private void write(boolean delete, Completion... group) {
        new StoreMarks(store, () -> "nobody", delete, CompletionWriter.TIME_LIMIT).write(null, List.of(group));
    }
}
