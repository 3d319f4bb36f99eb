package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.testsupport.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class PollRequestsTest {

    private final AtomicInteger room = new AtomicInteger();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final PollRequests requests = new PollRequests(room::get, () -> 10, clock);

    @BeforeEach
    void connect() {
        requests.add(trigger);
    }

    @Test
    void without_pollers_every_request_is_harmless() {
        PollRequests alone = new PollRequests(() -> 10, () -> 10, clock);
        alone.hotRefused();
        alone.pollAt(Instant.EPOCH);
        alone.pollWhenRoomFor(1);
        alone.pollWhenColdEnded();
        alone.coldLeft();

        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void every_poller_is_asked() {
        RecordingTrigger second = new RecordingTrigger();
        requests.add(second);
        requests.hotRefused();
        requests.pollWhenColdEnded();

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:00Z", "now");
        assertThat(second.requests).containsExactly("2026-01-01T00:00:00Z", "now");
    }

    @Test
    void a_hot_refusal_asks_for_this_very_moment() {
        requests.hotRefused();

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:00Z");
    }

    @Test
    void a_delay_counts_from_now() {
        requests.pollAfter(Duration.ofSeconds(7));

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:07Z");
    }

    @Test
    void a_time_is_passed_on() {
        requests.pollAt(Instant.parse("2026-01-01T00:07:00Z"));

        assertThat(trigger.requests).containsExactly("2026-01-01T00:07:00Z");
    }

    @Test
    void room_that_is_there_is_used_at_once_and_once() {
        room.set(3);
        requests.pollWhenRoomFor(3);
        requests.roomChanged();
        requests.roomChanged();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void room_that_is_not_there_is_waited_for() {
        room.set(2);
        requests.pollWhenRoomFor(3);
        requests.roomChanged();
        assertThat(trigger.requests).isEmpty();
        room.set(3);
        requests.roomChanged();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void room_that_nobody_waits_for_asks_for_nothing() {
        room.set(10);
        requests.roomChanged();

        assertThat(trigger.requests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10, 500, 5", "11, 500, 5", "1, 50, 1", "2, 50, 1", "3, 50, 1", "1000, 50, 50"})
    void no_more_than_half_of_the_queue_is_waited_for(int capacity, int batchSize, int enough) {
        PollRequests wishes = new PollRequests(room::get, () -> capacity, clock);
        wishes.add(trigger);
        room.set(enough - 1);
        wishes.pollWhenRoomFor(batchSize);
        assertThat(trigger.requests).isEmpty();
        room.set(enough);
        wishes.roomChanged();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void a_newer_wish_replaces_the_one_before() {
        requests.pollWhenRoomFor(5);
        requests.pollWhenRoomFor(2);
        room.set(2);
        requests.roomChanged();
        room.set(5);
        requests.roomChanged();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void the_end_of_the_cold_events_is_waited_for_once() {
        requests.coldEnters();
        requests.coldEnters();
        requests.pollWhenColdEnded();
        requests.coldLeft();
        assertThat(trigger.requests).isEmpty();
        requests.coldLeft();
        requests.coldEnters();
        requests.coldLeft();

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void cold_events_that_have_ended_before_are_not_waited_for() {
        requests.coldEnters();
        requests.coldLeft();
        assertThat(trigger.requests).isEmpty();
        requests.pollWhenColdEnded();

        assertThat(trigger.requests).containsExactly("now");
    }
}
