package outbox.proof.run;

import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.proof.fault.FaultKind;
import outbox.proof.node.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class OlderTest {

    @Test
    void what_a_program_knows_is_read_from_its_class_path() throws Exception {
        Older today = Older.at("today", System.getProperty("java.class.path"));

        assertThat(FaultKind.values()).allMatch(today::knows).allMatch(today::bears);
        assertThat(Configuration.values()).allMatch(today::knows);
    }

    @Test
    void an_older_program_bears_what_is_done_to_others_but_no_events_that_it_cannot_read() {
        Older older = new Older("older", "", Set.of("KILL_PROCESS"), Set.of("HOT"));

        assertThat(older.knows(FaultKind.KILL_PROCESS)).isTrue();
        assertThat(older.knows(FaultKind.LONG_TRANSACTIONS)).isFalse();
        assertThat(older.bears(FaultKind.LONG_TRANSACTIONS)).isTrue();
        assertThat(older.bears(FaultKind.KILLER_EVENT)).isFalse();
        assertThat(older.knows(Configuration.ORDERED)).isFalse();
    }
}
