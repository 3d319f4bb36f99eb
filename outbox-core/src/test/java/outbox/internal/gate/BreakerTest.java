package outbox.internal.gate;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.BreakerSettings;
import outbox.model.ListenerState.BreakerState;

import static org.assertj.core.api.Assertions.assertThat;

class BreakerTest {

    private final Breaker breaker = new Breaker(BreakerSettings.whenAway());

    @Test
    void one_failure_says_enough_if_the_receiver_is_plainly_away() {
        breaker.failed(breaker.era(), true);

        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void failures_of_other_kinds_do_not_open_it_unless_asked() {
        for (int i = 0; i < 1_000; i++) {
            breaker.failed(breaker.era(), false);
        }

        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void so_many_failures_of_the_last_deliveries_open_it() {
        Breaker counting = new Breaker(BreakerSettings.afterFailures(3, 4));
        for (int i = 0; i < 10; i++) {
            counting.failed(counting.era(), false);
            counting.succeeded(counting.era());
        }
        assertThat(counting.state()).isEqualTo(BreakerState.CLOSED);
        counting.failed(counting.era(), false);
        counting.failed(counting.era(), false);

        assertThat(counting.state()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void a_probe_that_succeeds_closes_it_and_one_that_fails_doubles_the_pause_up_to_the_longest() {
        breaker.failed(breaker.era(), true);
        for (Duration pause = Duration.ofSeconds(1);
                pause.compareTo(Duration.ofMinutes(2)) < 0;
                pause = pause.multipliedBy(2)) {
            Duration longest = Duration.ofMinutes(1);
            assertThat(breaker.pause()).isEqualTo(pause.compareTo(longest) > 0 ? longest : pause);
            breaker.probe();
            assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
            breaker.passes();
            assertThat(breaker.isFull()).isTrue();
            breaker.failed(breaker.era(), false);
            assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        }
        breaker.probe();
        breaker.passes();
        breaker.succeeded(breaker.era());

        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
        assertThat(breaker.pause()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void what_began_before_it_opened_says_nothing_about_how_things_are() {
        int before = breaker.era();
        breaker.failed(before, true);
        breaker.succeeded(before);
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        breaker.probe();
        breaker.failed(before, true);

        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
    }

    @Test
    void a_probe_that_came_to_nothing_lets_another_one_try() {
        breaker.failed(breaker.era(), true);
        breaker.probe();
        breaker.passes();
        breaker.cameToNothing(breaker.era());

        assertThat(breaker.isFull()).isFalse();
    }

    @Test
    void what_a_person_has_set_stays_until_it_is_taken_back() {
        breaker.set(true);
        breaker.probe();
        assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
        breaker.automatic();
        assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
        breaker.set(false);
        breaker.failed(breaker.era(), true);
        assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    }
}
