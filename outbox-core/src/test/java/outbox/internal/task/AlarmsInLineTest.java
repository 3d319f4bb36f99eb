package outbox.internal.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.internal.task.Alarms.Alarm;
import outbox.testsupport.ManualAlarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AlarmsInLineTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualAlarms time = new ManualAlarms();
    private final AlarmsInLine alarms = new AlarmsInLine(time, time, MINUTE);
    private final List<String> done = new ArrayList<>();

    private Alarm alarm(String name) {
        return alarms.after(MINUTE, () -> done.add(name));
    }

    private void pass(int seconds) {
        time.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void each_is_done_at_its_time_and_once() {
        alarm("a");
        pass(20);
        alarm("b");
        pass(39);
        assertThat(done).isEmpty();
        pass(1);
        assertThat(done).containsExactly("a");
        pass(20);
        assertThat(done).containsExactly("a", "b");
        pass(600);
        assertThat(done).hasSize(2);
        assertThat(time.set()).as("nothing is set for nobody").isZero();
    }

    @Test
    void of_many_that_are_called_off_only_one_is_ever_set() {
        for (int i = 0; i < 1_000; i++) {
            alarm("e" + i).callOff();
        }
        Alarm first = alarm("first");
        alarm("second");
        alarm("third");
        first.callOff();
        first.callOff();

        assertThat(time.set()).isEqualTo(1);
        pass(60);
        assertThat(done).containsExactly("second", "third");
    }

    @Test
    void those_in_the_middle_and_at_the_end_can_be_called_off() {
        alarm("a");
        Alarm b = alarm("b");
        alarm("c");
        Alarm d = alarm("d");
        b.callOff();
        d.callOff();
        alarm("e");
        pass(60);

        assertThat(done).containsExactly("a", "c", "e");
    }

    @Test
    void after_a_pause_the_line_begins_anew() {
        alarm("a").callOff();
        pass(59);
        alarm("b");
        pass(1);
        assertThat(done).isEmpty();
        pass(59);

        assertThat(done).containsExactly("b");
    }

    @Test
    void another_time_ahead_needs_no_line() {
        alarm("a");
        alarms.after(Duration.ofSeconds(5), () -> done.add("soon"));
        pass(5);

        assertThat(done).containsExactly("soon");
    }

    @Test
    void one_that_fails_keeps_no_other_and_is_told() {
        alarms.after(MINUTE, () -> {
            throw new IllegalArgumentException("bad");
        });
        alarm("a");
        alarms.after(MINUTE, () -> alarm("set meanwhile"));

        assertThatThrownBy(() -> pass(60)).hasRootCauseMessage("bad");
        assertThat(done).containsExactly("a");
        pass(61);
        assertThat(done).containsExactly("a", "set meanwhile");
    }
}
