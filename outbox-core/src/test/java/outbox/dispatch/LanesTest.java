package outbox.dispatch;

import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.dispatch.Lanes.Place;
import outbox.dispatch.QueuedEvent.Source;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.KeyedEvents.AGGREGATE_TYPE;
import static outbox.testsupport.KeyedEvents.coldOf;
import static outbox.testsupport.KeyedEvents.hotOf;

class LanesTest {

    private static final AggregateKey ONE = new AggregateKey(AGGREGATE_TYPE, "1");
    private static final AggregateKey TWO = new AggregateKey(AGGREGATE_TYPE, "2");

    private final Lanes lanes = new Lanes();

    @Test
    void an_event_without_an_aggregate_id_has_no_key() {
        assertThat(AggregateKey.of("Order", null)).isNull();
        assertThat(AggregateKey.of("Order", "1")).isEqualTo(ONE);
    }

    @Test
    void the_first_event_of_a_key_is_at_the_head_and_the_next_one_is_not() {
        assertThat(join(ONE, hotOf("1", "a"))).isEqualTo(new Place(true, true));
        assertThat(join(ONE, hotOf("1", "b"))).isEqualTo(new Place(false, true));
        assertThat(join(TWO, hotOf("2", "c"))).isEqualTo(new Place(true, true));
        assertThat(lanes.size()).isEqualTo(2);
    }

    @Test
    void an_event_is_behind_all_when_those_ahead_are_in_the_lane_or_have_ended() {
        join(ONE, coldOf("1", "a"));

        assertThat(lanes.join(ONE, coldOf("1", "b"), Set.of("a"), id -> false).behindAll())
                .isTrue();
        assertThat(lanes.join(ONE, coldOf("1", "c"), Set.of("a", "b", "x"), "x"::equals)
                        .behindAll())
                .isTrue();
    }

    @Test
    void an_event_is_not_behind_all_when_one_ahead_is_unknown_or_in_another_lane() {
        join(TWO, coldOf("2", "x"));

        assertThat(lanes.join(ONE, coldOf("1", "a"), Set.of("x"), id -> false)).isEqualTo(new Place(true, false));
        assertThat(lanes.join(ONE, coldOf("1", "b"), Set.of("a", "y"), id -> false))
                .isEqualTo(new Place(false, false));
    }

    @Test
    void the_next_event_becomes_first_when_the_first_has_ended() {
        QueuedEvent second = hotOf("1", "b");
        QueuedEvent third = hotOf("1", "c");
        join(ONE, hotOf("1", "a"));
        join(ONE, second);
        join(ONE, third);

        assertThat(lanes.advance(ONE, "a")).isSameAs(second);
        assertThat(lanes.hasFollowers(ONE)).isTrue();
        assertThat(lanes.advance(ONE, "b")).isSameAs(third);
        assertThat(lanes.hasFollowers(ONE)).isFalse();
    }

    @Test
    void a_lane_is_gone_with_its_last_event() {
        join(ONE, hotOf("1", "a"));

        assertThat(lanes.advance(ONE, "a")).isNull();
        assertThat(lanes.size()).isZero();
        assertThat(lanes.hasFollowers(ONE)).isFalse();
    }

    @Test
    void a_lane_that_breaks_returns_those_behind_its_first_event_in_order() {
        QueuedEvent second = hotOf("1", "b");
        QueuedEvent third = coldOf("1", "c");
        join(ONE, hotOf("1", "a"));
        join(ONE, second);
        join(ONE, third);

        assertThat(lanes.breakUp(ONE, "a")).containsExactly(second, third);
        assertThat(lanes.size()).isZero();
        assertThat(lanes.waiting(Source.HOT)).isZero();
        assertThat(lanes.waiting(Source.COLD)).isZero();
    }

    @Test
    void an_event_that_is_not_the_first_neither_advances_nor_breaks_its_lane() {
        QueuedEvent second = hotOf("1", "b");
        join(ONE, hotOf("1", "a"));
        join(ONE, second);

        assertThat(lanes.advance(ONE, "b")).isNull();
        assertThat(lanes.breakUp(ONE, "b")).isEmpty();
        assertThat(lanes.waiting(Source.HOT)).isEqualTo(1);
        assertThat(lanes.advance(ONE, "a")).isSameAs(second);
    }

    @Test
    void a_key_without_a_lane_neither_advances_nor_breaks() {
        assertThat(lanes.advance(ONE, "a")).isNull();
        assertThat(lanes.breakUp(ONE, "a")).isEmpty();
    }

    @Test
    void only_those_behind_others_wait_each_counted_where_it_came_from() {
        join(ONE, hotOf("1", "a"));
        join(ONE, hotOf("1", "b"));
        join(ONE, coldOf("1", "c"));
        join(TWO, coldOf("2", "d"));

        assertThat(lanes.waiting(Source.HOT)).isEqualTo(1);
        assertThat(lanes.waiting(Source.COLD)).isEqualTo(1);
        lanes.advance(ONE, "a");
        assertThat(lanes.waiting(Source.HOT)).isZero();
        assertThat(lanes.waiting(Source.COLD)).isEqualTo(1);
        lanes.advance(ONE, "b");
        assertThat(lanes.waiting(Source.COLD)).isZero();
    }

    private Place join(AggregateKey key, QueuedEvent event) {
        return lanes.join(key, event, Set.of(), id -> false);
    }
}
