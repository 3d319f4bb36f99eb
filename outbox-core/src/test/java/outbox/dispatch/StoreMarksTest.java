package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.testsupport.RecordingStore;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.dispatch.Completions.NEXT_AT;
import static outbox.dispatch.Completions.dead;
import static outbox.dispatch.Completions.done;
import static outbox.dispatch.Completions.retry;

class StoreMarksTest {

    private final RecordingStore store = new RecordingStore().add("a", "b", "c", "d", "e", "f");

    @Test
    void each_kind_is_one_call_whatever_the_order() {
        write(CompletionMode.MARK_DONE, dead("a"), done("b"), retry("c"), done("d"), retry("e"), dead("f"));

        assertThat(store.groups()).containsExactly("markDoneAll [b, d]", "markRetryAll [c, e]", "markDeadAll [a, f]");
    }

    @Test
    void a_kind_of_which_there_is_none_is_no_call() {
        write(CompletionMode.MARK_DONE, done("a"));
        write(CompletionMode.MARK_DONE, retry("b"));
        write(CompletionMode.MARK_DONE, dead("c"));
        write(CompletionMode.DELETE, dead("d"));

        assertThat(store.groups())
                .containsExactly("markDoneAll [a]", "markRetryAll [b]", "markDeadAll [c]", "markDeadAll [d]");
    }

    @Test
    void time_and_error_are_passed_on() {
        write(CompletionMode.MARK_DONE, retry("a"), dead("b"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(NEXT_AT);
        assertThat(store.error("a")).isEqualTo("error of a");
        assertThat(store.status("b")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("b")).isEqualTo("error of b");
    }

    @Test
    void delete_on_success_deletes_what_was_delivered_and_marks_what_failed() {
        write(CompletionMode.DELETE, done("a"), retry("b"), dead("c"), done("d"));

        assertThat(store.groups()).containsExactly("deleteAll [a, d]", "markRetryAll [b]", "markDeadAll [c]");
        assertThat(store.contains("a")).isFalse();
        assertThat(store.contains("d")).isFalse();
        assertThat(store.status("b")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("c")).isEqualTo(EventStatus.DEAD);
    }

    private void write(CompletionMode mode, Completion... group) {
        new StoreMarks(store, mode).write(null, List.of(group));
    }
}
