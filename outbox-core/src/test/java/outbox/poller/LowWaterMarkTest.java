package outbox.poller;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import outbox.spi.LeaseStore.Position;
import outbox.spi.LeaseStore.Start;

import static org.assertj.core.api.Assertions.assertThat;

class LowWaterMarkTest {

    private static final Position EARLY = new Position(Instant.EPOCH, "a");
    private static final Position LATE = new Position(Instant.EPOCH.plusSeconds(1), "b");

    private long now = 1_000;
    private final LowWaterMark mark = new LowWaterMark(() -> now);

    @Test
    void the_first_claim_looks_from_the_beginning() {
        assertThat(mark.next()).isEqualTo(Start.BEGINNING);
        assertThat(mark.untilNextLook()).isZero();
    }

    @Test
    void a_claim_begins_where_the_last_one_took_its_first_event_until_a_look_is_cheap_against_the_time_passed() {
        mark.looked(Start.BEGINNING, LATE, false, 10);

        assertThat(mark.next()).isEqualTo(new Start(LATE, false));
        assertThat(mark.untilNextLook()).isEqualTo(Duration.ofNanos(200));
        now += 199;
        assertThat(mark.next()).isEqualTo(new Start(LATE, false));
        now += 1;
        assertThat(mark.next()).isEqualTo(Start.BEGINNING);
    }

    @Test
    void claims_from_the_mark_do_not_put_the_next_look_off() {
        mark.looked(Start.BEGINNING, EARLY, false, 10);
        now += 150;
        mark.looked(new Start(EARLY, false), LATE, false, 100);

        assertThat(mark.next()).isEqualTo(new Start(LATE, false));
        now += 50;
        assertThat(mark.next()).isEqualTo(Start.BEGINNING);
    }

    @Test
    void when_something_goes_on_that_was_left_out_claims_look_from_the_beginning_until_one_has() {
        mark.looked(Start.BEGINNING, LATE, true, 1_000_000);
        mark.forget();

        assertThat(mark.next()).isEqualTo(Start.BEGINNING);
        assertThat(mark.next()).as("the claim may have failed").isEqualTo(Start.BEGINNING);
        mark.looked(Start.BEGINNING, EARLY, false, 10);
        assertThat(mark.next()).isEqualTo(new Start(EARLY, false));
    }

    @Test
    void a_claim_that_took_nothing_leaves_the_mark_where_it_was() {
        mark.looked(Start.BEGINNING, LATE, false, 10);
        mark.looked(new Start(LATE, false), null, false, 1);

        assertThat(mark.next()).isEqualTo(new Start(LATE, false));
    }

    @Test
    void an_unfinished_look_goes_on_where_it_stopped_and_counts_as_one() {
        mark.looked(Start.BEGINNING, EARLY, true, 10);
        now += 1_000;
        assertThat(mark.next()).isEqualTo(new Start(EARLY, true));
        mark.looked(new Start(EARLY, true), LATE, true, 20);
        assertThat(mark.next()).isEqualTo(new Start(LATE, true));
        mark.looked(new Start(LATE, true), null, false, 30);

        assertThat(mark.untilNextLook()).isEqualTo(Duration.ofNanos(20 * 60));
        assertThat(mark.next()).isEqualTo(new Start(LATE, false));
        now += 20 * 60;
        assertThat(mark.next()).isEqualTo(Start.BEGINNING);
    }

    @Test
    void an_event_before_the_mark_moves_it_back() {
        mark.looked(Start.BEGINNING, LATE, false, 0);
        mark.looked(Start.BEGINNING, EARLY, false, 10);

        assertThat(mark.next()).isEqualTo(new Start(EARLY, false));
    }
}
