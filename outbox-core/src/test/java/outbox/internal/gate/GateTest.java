package outbox.internal.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.BreakerSettings;
import outbox.ListenerSettings.RateLimit;
import outbox.internal.gate.Gate.Entry;
import outbox.internal.gate.Gate.Limits;
import outbox.internal.gate.Gate.Result;
import outbox.internal.gate.Gate.Status;
import outbox.model.ListenerState.BreakerState;
import outbox.testsupport.ManualAlarms;

import static org.assertj.core.api.Assertions.assertThat;

class GateTest {

    private final ManualAlarms time = new ManualAlarms();
    private final List<String> news = new ArrayList<>();
    private @Nullable String paused;

    private final Gate.Owner<String> owner = new Gate.Owner<>() {

        @Override
        public void goesOn(String event) {
            news.add("on " + event);
        }

        @Override
        public void givesBack(String event) {
            news.add("back " + event);
        }

        @Override
        public void closes() {
            news.add("closes");
        }

        @Override
        public void opens() {
            news.add("opens");
        }

        @Override
        public void breakerChanges(BreakerState state, Duration pause) {
            news.add(state + " " + pause);
        }
    };

    private Gate<String> gate(int slots, @Nullable RateLimit rate, @Nullable BreakerSettings breaker) {
        return new Gate<>(new Limits(slots, Limits.NOT_SAID, rate, breaker, 4, 2), time, time, owner, () -> paused);
    }

    private static int entered(Entry entry) {
        assertThat(entry.entered()).isTrue();
        return entry.era();
    }

    @Test
    void no_more_run_at_once_than_there_are_slots_and_those_that_wait_go_on_in_line() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        assertThat(gate.enter("b").waits()).isTrue();
        assertThat(gate.enter("c").waits()).isTrue();
        gate.leave(era, Result.SUCCESS);

        assertThat(news).containsExactly("on b");
        assertThat(gate.enter("d").waits()).as("b has the slot").isTrue();
        gate.leave(entered(gate.enter("b")), Result.FAILURE);
        assertThat(news).containsExactly("on b", "on c");
    }

    @Test
    void when_a_share_of_the_queue_waits_no_more_is_wanted_before_half_of_it_is_gone() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        for (String event : List.of("b", "c", "d")) {
            gate.enter(event);
            assertThat(gate.status()).isEqualTo(Status.OPEN);
        }
        gate.enter("e");
        assertThat(gate.status()).isEqualTo(Status.FULL);
        assertThat(gate.enter("f").waits()).as("what has come is taken").isTrue();
        for (String event : List.of("b", "c", "d", "e")) {
            gate.leave(era, Result.SUCCESS);
            era = entered(gate.enter(event));
        }

        assertThat(gate.status()).isEqualTo(Status.OPEN);
        assertThat(news).containsOnlyOnce("opens");
    }

    @Test
    void while_it_is_paused_nothing_passes_and_what_waits_is_given_back() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        gate.enter("b");
        paused = "maintenance";
        gate.pauseChanged();

        assertThat(news).containsExactly("back b", "closes");
        assertThat(gate.status()).isEqualTo(Status.CLOSED);
        assertThat(gate.enter("c")).isEqualTo(new Entry(false, false, 0));
        assertThat(gate.view().paused()).isEqualTo("maintenance");
        gate.leave(era, Result.SUCCESS);
        paused = null;
        gate.pauseChanged();
        assertThat(news).containsExactly("back b", "closes", "opens");
        entered(gate.enter("c"));
    }

    @Test
    void an_outage_closes_it_and_after_a_pause_one_event_tries() {
        Gate<String> gate = gate(10, null, BreakerSettings.whenAway());
        int era = entered(gate.enter("a"));
        entered(gate.enter("b"));
        gate.leave(era, Result.AWAY);
        assertThat(gate.status()).isEqualTo(Status.CLOSED);
        gate.leave(era, Result.AWAY);
        assertThat(news).containsExactly("OPEN PT1S", "closes");

        time.advance(Duration.ofSeconds(1));
        assertThat(news).containsExactly("OPEN PT1S", "closes", "HALF_OPEN PT1S", "opens");
        int probe = entered(gate.enter("c"));
        assertThat(gate.status()).isEqualTo(Status.FULL);
        assertThat(gate.enter("d").waits()).isTrue();
        gate.leave(probe, Result.SUCCESS);
        assertThat(news).endsWith("on d", "CLOSED PT1S", "opens");
    }

    @Test
    void a_probe_that_fails_gives_back_what_waits_and_the_next_one_comes_later() {
        Gate<String> gate = gate(10, null, BreakerSettings.whenAway());
        gate.leave(entered(gate.enter("a")), Result.AWAY);
        time.advance(Duration.ofSeconds(1));
        int probe = entered(gate.enter("b"));
        gate.enter("c");
        gate.leave(probe, Result.FAILURE);

        assertThat(news).endsWith("back c", "OPEN PT2S", "closes");
        time.advance(Duration.ofMillis(1_999));
        assertThat(gate.status()).isEqualTo(Status.CLOSED);
        time.advance(Duration.ofMillis(1));
        assertThat(gate.status()).isEqualTo(Status.OPEN);
    }

    @Test
    void no_more_pass_in_a_time_than_the_rate_allows() {
        Gate<String> gate = gate(10, new RateLimit(2, Duration.ofSeconds(1)), null);
        entered(gate.enter("a"));
        entered(gate.enter("b"));
        assertThat(gate.enter("c").waits()).isTrue();
        assertThat(gate.enter("d").waits()).isTrue();
        time.advance(Duration.ofMillis(499));
        assertThat(news).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(news).containsExactly("on c");
        time.advance(Duration.ofMillis(500));
        assertThat(news).containsExactly("on c", "on d");
        time.advance(Standstill.PATIENCE);
        assertThat(time.set()).as("no alarm for nobody").isZero();
    }

    @Test
    void too_many_calls_that_do_not_end_close_it_until_one_does() {
        Gate<String> gate = gate(1, null, null);
        gate.abandons(entered(gate.enter("a")));
        int era = entered(gate.enter("b"));
        gate.enter("c");
        gate.abandons(era);

        assertThat(news).containsExactly("back c", "closes");
        assertThat(gate.view().paused()).isEqualTo("2 call(s) did not end in time");
        gate.abandonedEnds();
        assertThat(gate.status()).isEqualTo(Status.OPEN);
        entered(gate.enter("d"));
    }

    @Test
    void while_none_that_runs_ends_for_long_those_that_wait_are_given_back_and_no_more_come() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        time.advance(Duration.ofSeconds(20));
        gate.enter("b");
        time.advance(Duration.ofSeconds(10));
        assertThat(news).as("nobody has waited for long").isEmpty();
        time.advance(Duration.ofSeconds(20));

        assertThat(news).containsExactly("back b", "closes");
        assertThat(gate.enter("c").entered()).isFalse();
        assertThat(gate.view().paused()).isEqualTo("none of 1 deliveries has ended for 30 s");
        gate.leave(era, Result.SUCCESS);
        assertThat(news).endsWith("opens");
        entered(gate.enter("c"));
    }

    @Test
    void if_what_kept_the_others_waiting_never_began_they_come_again_when_it_is_gone() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        gate.enter("b");
        time.advance(Duration.ofSeconds(30));
        assertThat(gate.status()).isEqualTo(Status.CLOSED);
        gate.leave(era, Result.NOTHING);

        assertThat(news).endsWith("opens");
        entered(gate.enter("c"));
    }

    @Test
    void what_waits_for_its_rate_alone_is_not_given_back() {
        Gate<String> gate = gate(10, new RateLimit(1, Duration.ofHours(1)), null);
        gate.leave(entered(gate.enter("a")), Result.SUCCESS);
        gate.enter("b");
        time.advance(Duration.ofMinutes(59));
        assertThat(news).isEmpty();
        time.advance(Duration.ofMinutes(1));

        assertThat(news).containsExactly("on b");
    }

    @Test
    void one_that_was_to_go_on_and_does_not_come_leaves_its_slot_to_the_next() {
        Gate<String> gate = gate(1, null, null);
        int era = entered(gate.enter("a"));
        gate.enter("b");
        gate.enter("c");
        gate.leave(era, Result.SUCCESS);
        gate.gone("b");

        assertThat(news).containsExactly("on b", "on c");
    }

    @Test
    void what_waits_at_the_end_is_handed_out() {
        Gate<String> gate = gate(1, null, null);
        gate.enter("a");
        gate.enter("b");

        assertThat(gate.close()).containsExactly("b");
    }
}
