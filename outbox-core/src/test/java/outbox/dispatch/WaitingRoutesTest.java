package outbox.dispatch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.dispatch.Listeners.Standing;
import outbox.model.EventRoute;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testsupport.ManualNanos;

import static org.assertj.core.api.Assertions.assertThat;

class WaitingRoutesTest {

    private static final EventRoute A = new EventRoute("Order", "Placed");
    private static final EventRoute B = new EventRoute("Order", "Paid");
    private static final AggregateKey KEY = new AggregateKey("Order", "1");
    private static final int MOST = LeaseStore.ClaimRequest.MOST_LEFT_OUT;

    private final ManualNanos nanos = new ManualNanos();
    private final Set<EventRoute> known = new HashSet<>();
    private final List<String> told = new ArrayList<>();
    private final List<Integer> counts = new ArrayList<>();
    private Standing ofOthers = Standing.NOBODY;
    private final WaitingRoutes waiting = new WaitingRoutes(
            route -> known.contains(route) ? Standing.OPEN : ofOthers, new Told(), counts::add, nanos);

    private final class Told implements WaitingRoutes.Teller {

        @Override
        public void waits(EventRoute route) {
            told.add("waits " + route.eventType());
        }

        @Override
        public void more() {
            told.add("more");
        }

        @Override
        public void goesOn(EventRoute route) {
            told.add("goes on " + route.eventType());
        }
    }

    @Test
    void a_route_is_told_and_counted_once_however_often_it_is_met() {
        IntStream.range(0, 1_000).forEach(i -> waiting.note(A, Standing.NOBODY));
        waiting.note(B, Standing.NOBODY);

        assertThat(waiting.look()).containsExactlyInAnyOrder(A, B);
        assertThat(told).containsExactly("waits Placed", "waits Paid");
        assertThat(counts).containsExactly(1, 2);
    }

    @Test
    void a_route_that_has_a_listener_by_now_is_no_longer_left_out() {
        waiting.note(A, Standing.NOBODY);
        waiting.note(B, Standing.NOBODY);
        waiting.keyWaits(KEY);
        known.add(A);

        assertThat(waiting.look()).containsExactly(B);
        assertThat(told).endsWith("goes on Placed");
        assertThat(counts).endsWith(1);
        assertThat(waiting.isWaiting(KEY)).isFalse();
    }

    @Test
    void after_some_time_a_claim_may_meet_it_again_and_that_is_not_told_again() {
        waiting.note(A, Standing.NOBODY);
        nanos.advance(WaitingRoutes.LOOK_AGAIN);

        assertThat(waiting.look()).isEmpty();
        assertThat(counts).containsExactly(1, 0);
        waiting.note(A, Standing.NOBODY);
        assertThat(waiting.look()).containsExactly(A);
        assertThat(told).containsExactly("waits Placed");
    }

    @Test
    void more_routes_than_claims_can_leave_out_take_neither_memory_nor_lines() {
        IntStream.range(0, 10_000).forEach(i -> waiting.note(new EventRoute("Order", "Type" + i), Standing.NOBODY));

        assertThat(waiting.look()).hasSize(MOST);
        assertThat(told).hasSize(MOST + 1).endsWith("more");
        assertThat(waiting.current()).doesNotContain(new EventRoute("Order", "Type9999"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Standing.class,
            names = {"NOBODY", "CLOSED"})
    void of_a_route_that_goes_on_events_may_lie_anywhere_and_that_is_said_once(Standing why) {
        ofOthers = why;
        waiting.note(A, why);
        waiting.look();
        assertThat(waiting.someGoOn()).isFalse();
        known.add(A);
        waiting.look();

        assertThat(waiting.someGoOn()).isTrue();
        assertThat(waiting.someGoOn()).isFalse();
    }

    @Test
    void of_a_route_that_was_only_full_for_a_moment_nothing_is_said() {
        ofOthers = Standing.FULL;
        waiting.note(A, Standing.FULL);
        waiting.look();
        known.add(A);
        waiting.look();

        assertThat(waiting.someGoOn()).isFalse();
    }

    @Test
    void a_route_that_was_closed_while_it_was_full_is_said_to_go_on() {
        waiting.note(A, Standing.FULL);
        ofOthers = Standing.CLOSED;
        waiting.look();
        ofOthers = Standing.FULL;
        waiting.look();
        known.add(A);
        waiting.look();

        assertThat(waiting.someGoOn()).isTrue();
    }

    @Test
    void keys_are_remembered_until_they_go_on_and_not_without_bound() {
        waiting.keyWaits(KEY);
        waiting.keyWaits(null);
        assertThat(waiting.isWaiting(KEY)).isTrue();
        assertThat(waiting.isWaiting(null)).isFalse();

        waiting.keyGoesOn(KEY);
        assertThat(waiting.isWaiting(KEY)).isFalse();

        waiting.keyWaits(KEY);
        IntStream.range(0, 20_000).forEach(i -> waiting.keyWaits(new AggregateKey("Order", "x" + i)));
        assertThat(waiting.isWaiting(KEY)).isFalse();
    }
}
