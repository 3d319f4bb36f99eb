package outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.testsupport.ManualAlarms;

import static org.assertj.core.api.Assertions.assertThat;

class CallTest {

    private final ManualAlarms time = new ManualAlarms();
    private final AtomicInteger givenUp = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final Call call = new Call(new Call.Clockwork(time, time), Duration.ofSeconds(10));

    @Test
    void a_call_that_returns_in_time_is_neither_interrupted_nor_given_up() {
        call.begins(true, givenUp::incrementAndGet);
        time.advance(Duration.ofMillis(9_999));

        assertThat(call.ends()).isEqualTo(Call.End.IN_TIME);
        time.advance(Duration.ofMinutes(1));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(givenUp).hasValue(0);
        assertThat(time.set()).isZero();
    }

    @Test
    void when_its_time_is_over_its_thread_is_interrupted_and_it_is_late() {
        call.begins(true, givenUp::incrementAndGet);
        call.endsBy(cancelled::incrementAndGet);
        time.advance(Duration.ofSeconds(10));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(cancelled).hasValue(1);
        assertThat(call.runs()).isFalse();
        assertThat(call.extend(Duration.ofSeconds(1))).isFalse();
        assertThat(call.ends()).isEqualTo(Call.End.LATE);
        time.advance(Duration.ofMinutes(1));
        assertThat(givenUp).hasValue(0);
    }

    @Test
    void one_that_does_not_end_even_so_is_given_up_once_and_its_end_counts_for_nothing() {
        call.begins(false, givenUp::incrementAndGet);
        time.advance(Duration.ofSeconds(11));

        assertThat(givenUp).hasValue(1);
        assertThat(call.ends()).isEqualTo(Call.End.GIVEN_UP);
        assertThat(call.ends()).isEqualTo(Call.End.AGAIN);
    }

    @Test
    void more_time_may_be_asked_for_as_long_as_there_is_some() {
        call.begins(false, givenUp::incrementAndGet);
        time.advance(Duration.ofSeconds(9));
        assertThat(call.extend(Duration.ofSeconds(5))).isTrue();
        time.advance(Duration.ofMillis(4_999));
        assertThat(call.left()).isEqualTo(Duration.ofMillis(1));
        assertThat(call.runs()).isTrue();
        time.advance(Duration.ofMillis(1));
        assertThat(call.runs()).isFalse();
    }

    @Test
    void less_time_may_be_asked_for_too() {
        call.begins(false, givenUp::incrementAndGet);
        assertThat(call.extend(Duration.ofSeconds(1))).isTrue();
        time.advance(Duration.ofSeconds(1));

        assertThat(call.runs()).isFalse();
    }

    @Test
    void what_could_end_it_is_done_even_if_it_is_known_too_late() {
        call.begins(false, givenUp::incrementAndGet);
        time.advance(Duration.ofSeconds(10));
        call.endsBy(cancelled::incrementAndGet);

        assertThat(cancelled).hasValue(1);
    }

    @Test
    void without_a_timeout_it_may_take_for_ever() {
        Call endless = new Call(new Call.Clockwork(time, time), null);
        endless.begins(true, givenUp::incrementAndGet);
        time.advance(Duration.ofDays(365));

        assertThat(endless.left()).isNull();
        assertThat(endless.extend(Duration.ofSeconds(1))).isTrue();
        assertThat(endless.ends()).isEqualTo(Call.End.IN_TIME);
    }
}
