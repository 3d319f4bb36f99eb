package outbox.internal.pause;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.model.Pause;
import outbox.model.PauseTarget;

import static org.assertj.core.api.Assertions.assertThat;

class PauseBoardTest {

    private static final PauseTarget TYPE = PauseTarget.eventType("OrderPlaced");
    private static final PauseTarget LISTENER = PauseTarget.listener("warehouse");

    private final PauseBoard board = new PauseBoard();
    private final List<String> news = new ArrayList<>();

    PauseBoardTest() {
        board.tells((begun, ended) -> {
            begun.forEach(pause -> news.add("begun " + pause.target()));
            ended.forEach(pause -> news.add("ended " + pause.target()));
        });
    }

    private static Pause pause(PauseTarget target, @Nullable String who) {
        return new Pause(target, "stocktaking", who, Instant.EPOCH);
    }

    @Test
    void at_first_nothing_is_paused() {
        assertThat(board.isOutboxPaused()).isFalse();
        assertThat(board.isPaused("OrderPlaced")).isFalse();
        assertThat(board.ofListener("warehouse")).isNull();
        assertThat(board.all()).isEmpty();
    }

    @Test
    void a_type_and_a_listener_of_the_same_name_are_two_things() {
        board.pauseHere(pause(PauseTarget.listener("OrderPlaced"), null));

        assertThat(board.isPaused("OrderPlaced")).isFalse();
        assertThat(board.ofListener("OrderPlaced")).isNotNull();
    }

    @Test
    void a_pause_of_the_outbox_is_one_of_every_type() {
        board.pausedEverywhere(List.of(pause(PauseTarget.outbox(), "ann")));

        assertThat(board.isOutboxPaused()).isTrue();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
        assertThat(board.ofListener("warehouse")).isNull();
    }

    @Test
    void what_is_paused_here_and_everywhere_stays_paused_until_both_are_taken_back() {
        board.pauseHere(pause(TYPE, null));
        board.pausedEverywhere(List.of(pause(TYPE, "ann")));

        assertThat(board.resumeHere(TYPE)).isTrue();
        assertThat(board.resumeHere(TYPE)).isFalse();
        assertThat(board.isPaused("OrderPlaced")).isTrue();
        board.pausedEverywhere(List.of());
        assertThat(board.isPaused("OrderPlaced")).isFalse();
        assertThat(board.all()).isEmpty();
    }

    @Test
    void changes_are_told_once() {
        board.pausedEverywhere(List.of(pause(TYPE, "ann")));
        board.pausedEverywhere(List.of(pause(TYPE, "ann"), pause(LISTENER, "ann")));
        board.pausedEverywhere(List.of(pause(LISTENER, "ann")));

        assertThat(news)
                .containsExactly(
                        "begun event type OrderPlaced", "begun listener warehouse", "ended event type OrderPlaced");
    }
}
