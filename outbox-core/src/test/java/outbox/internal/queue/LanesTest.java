package outbox.internal.queue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.internal.queue.Lanes.Place;

import static org.assertj.core.api.Assertions.assertThat;

class LanesTest {

    private static final String ONE = "one";
    private static final String TWO = "two";

    private final Lanes<String, String> lanes = new Lanes<>(Words.INSTANCE);

    @Test
    void the_first_element_of_a_key_is_at_the_head_and_the_next_one_is_not() {
        assertThat(join(ONE, "a")).isEqualTo(new Place(true, true));
        assertThat(join(ONE, "b")).isEqualTo(new Place(false, true));
        assertThat(join(TWO, "c")).isEqualTo(new Place(true, true));
        assertThat(lanes.size()).isEqualTo(2);
    }

    @Test
    void an_element_is_behind_all_when_those_ahead_are_in_the_lane_or_have_ended() {
        join(ONE, "c-a");

        assertThat(lanes.join(ONE, "c-b", Set.of("c-a"), id -> false).behindAll())
                .isTrue();
        assertThat(lanes.join(ONE, "c-c", Set.of("c-a", "c-b", "x"), "x"::equals)
                        .behindAll())
                .isTrue();
    }

    @Test
    void an_element_is_not_behind_all_when_one_ahead_is_unknown_or_in_another_lane() {
        join(TWO, "c-x");

        assertThat(lanes.join(ONE, "c-a", Set.of("c-x"), id -> false)).isEqualTo(new Place(true, false));
        assertThat(lanes.join(ONE, "c-b", Set.of("c-a", "y"), id -> false)).isEqualTo(new Place(false, false));
    }

    @Test
    void the_next_element_becomes_first_when_the_first_has_ended() {
        String second = "b";
        String third = "c";
        join(ONE, "a");
        join(ONE, second);
        join(ONE, third);

        assertThat(lanes.advance(ONE, "a")).isSameAs(second);
        assertThat(lanes.hasFollowers(ONE)).isTrue();
        assertThat(lanes.advance(ONE, "b")).isSameAs(third);
        assertThat(lanes.hasFollowers(ONE)).isFalse();
    }

    @Test
    void a_lane_is_gone_with_its_last_element() {
        join(ONE, "a");

        assertThat(lanes.advance(ONE, "a")).isNull();
        assertThat(lanes.size()).isZero();
        assertThat(lanes.hasFollowers(ONE)).isFalse();
    }

    @Test
    void a_lane_that_breaks_returns_those_behind_its_first_element_in_order() {
        String second = "b";
        String third = "c-c";
        join(ONE, "a");
        join(ONE, second);
        join(ONE, third);

        assertThat(lanes.breakUp(ONE, "a")).containsExactly(second, third);
        assertThat(lanes.size()).isZero();
        assertThat(lanes.waiting(true)).isZero();
        assertThat(lanes.waiting(false)).isZero();
    }

    @Test
    void an_element_that_is_not_the_first_neither_advances_nor_breaks_its_lane() {
        String second = "b";
        join(ONE, "a");
        join(ONE, second);

        assertThat(lanes.advance(ONE, "b")).isNull();
        assertThat(lanes.breakUp(ONE, "b")).isEmpty();
        assertThat(lanes.waiting(true)).isEqualTo(1);
        assertThat(lanes.advance(ONE, "a")).isSameAs(second);
    }

    @Test
    void a_key_without_a_lane_neither_advances_nor_breaks() {
        assertThat(lanes.advance(ONE, "a")).isNull();
        assertThat(lanes.breakUp(ONE, "a")).isEmpty();
    }

    @Test
    void only_those_behind_others_wait_each_counted_where_it_came_from() {
        join(ONE, "a");
        join(ONE, "b");
        join(ONE, "c-c");
        join(TWO, "c-d");

        assertThat(lanes.waiting(true)).isEqualTo(1);
        assertThat(lanes.waiting(false)).isEqualTo(1);
        lanes.advance(ONE, "a");
        assertThat(lanes.waiting(true)).isZero();
        assertThat(lanes.waiting(false)).isEqualTo(1);
        lanes.advance(ONE, "b");
        assertThat(lanes.waiting(false)).isZero();
    }

    private Place join(String key, String element) {
        return lanes.join(key, element, Set.of(), id -> false);
    }
}
