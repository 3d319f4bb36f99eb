package outbox.cluster.order;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.cluster.order.Delivery.Result;
import outbox.cluster.order.OrderJournal.What;

import static org.assertj.core.api.Assertions.assertThat;

class JournalReaderTest {

    @TempDir
    private Path directory;

    @Test
    void deliveries_are_made_of_the_lines_of_their_thread() throws Exception {
        History history = read(
                "10 START 1@7 21 a free-1 1.0",
                "11 START 1@7 22 b free-2 1.0",
                "12 END 1@7 21 a FAILED",
                "13 START 1@7 21 a free-1 1.0",
                "14 END 1@7 22 b OK",
                "15 END 1@7 21 a OK");

        assertThat(history.deliveries())
                .containsExactly(
                        new Delivery("a", "1@7", "21", 1, 3, 10, 12, 0, Result.FAILED),
                        new Delivery("b", "1@7", "22", 2, 5, 11, 14, 0, Result.OK),
                        new Delivery("a", "1@7", "21", 4, 6, 13, 15, 12, Result.OK));
    }

    @Test
    void a_kill_cuts_off_what_its_process_was_doing_and_nothing_else() throws Exception {
        History history = read(
                "10 START 1@7 21 a free-1 1.0", "11 START 2@8 21 b free-2 1.0", "12 KILLED 1@7", "13 END 2@8 21 b OK");

        assertThat(history.deliveries())
                .containsExactly(
                        new Delivery("a", "1@7", "21", 1, 3, 10, 12, 0, Result.CUT_OFF),
                        new Delivery("b", "2@8", "21", 2, 4, 11, 13, 0, Result.OK));
        assertThat(history.faults()).containsExactly(new Fault("1@7", Fault.Kind.KILL, 12, 12));
    }

    @Test
    void pauses_and_stalls_have_a_begin_and_an_end() throws Exception {
        History history =
                read("10 PAUSED 1@7", "20 RESUMED 1@7", "30 STALLED 2@8 25", "40 PAUSED 1@7", "50 KILLED 1@7");

        assertThat(history.faults())
                .containsExactly(
                        new Fault("1@7", Fault.Kind.PAUSE, 10, 20),
                        new Fault("2@8", Fault.Kind.STALL, 25, 30),
                        new Fault("1@7", Fault.Kind.KILL, 40, 50));
    }

    @Test
    void what_is_written_is_read_and_the_place_of_a_discard_is_known() throws Exception {
        Path path = directory.resolve("journal");
        OrderJournal one = new OrderJournal(path);
        OrderJournal other = new OrderJournal(path);
        one.add(What.REPLAYED, "person", "a");
        other.add(What.START, "1@7", 21, "a", "held-1", "1.0");
        one.add(What.DISCARDED, "person", "b");
        other.add(What.END, "1@7", 21, "a", Result.OK);

        JournalReader reader = JournalReader.read(OrderJournal.read(path));
        assertThat(reader.replays()).isEqualTo(1);
        assertThat(reader.history(List.of()).discarded()).containsEntry("b", 3);
        assertThat(reader.history(List.of()).deliveries())
                .singleElement()
                .satisfies(delivery -> assertThat(delivery.end()).isEqualTo(4));
    }

    private History read(String... lines) throws Exception {
        Path path = directory.resolve("journal");
        Files.write(path, List.of(lines));
        return JournalReader.read(OrderJournal.read(path)).history(List.of());
    }
}
