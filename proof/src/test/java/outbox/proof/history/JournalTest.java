package outbox.proof.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.proof.history.Delivery.Result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class JournalTest {

    private static final long DEATH = Long.MAX_VALUE;

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("journal");
    }

    private JournalReader read() throws IOException {
        return JournalReader.read(file(), "A", DEATH);
    }

    @Test
    void deliveries_of_one_thread_at_the_same_time_are_told_apart() throws Exception {
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.begin("x", "1");
            journal.begin("x", "2");
            journal.begin("x", "3");
            journal.end("x", "1", Result.OK, 11);
            journal.end("x", "2", Result.FAILED, 22);
        }

        assertThat(read().deliveries())
                .extracting(Delivery::eventId, Delivery::result)
                .containsExactlyInAnyOrder(
                        tuple("1", Result.OK), tuple("2", Result.FAILED), tuple("3", Result.CUT_OFF));
    }

    @Test
    void deliveries_of_all_threads_are_told_apart() throws Exception {
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.begin("x", "1");
            CountDownLatch begun = new CountDownLatch(1);
            Thread other = new Thread(() -> {
                try {
                    journal.begin("y", "2");
                    begun.countDown();
                    journal.end("y", "2", Result.FAILED, 22);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            other.start();
            begun.await();
            journal.end("x", "1", Result.OK, 11);
            other.join();
        }

        assertThat(read().deliveries())
                .extracting(
                        Delivery::outbox, Delivery::eventId, Delivery::process, Delivery::result, Delivery::payloadSum)
                .containsExactlyInAnyOrder(
                        tuple("x", "1", "A", Result.OK, 11L), tuple("y", "2", "A", Result.FAILED, 22L));
        assertThat(read().deliveries()).allMatch(delivery -> delivery.start() < delivery.end());
    }

    @Test
    void a_delivery_without_an_end_was_cut_off_by_the_death_of_its_process() throws IOException {
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.begin("x", "1");
        }
        Files.writeString(file(), "end 5 1 x 1 O", StandardOpenOption.APPEND); // its last line is not complete

        List<Delivery> deliveries = read().deliveries();

        assertThat(deliveries).hasSize(1);
        assertThat(deliveries.get(0).result()).isEqualTo(Result.CUT_OFF);
        assertThat(deliveries.get(0).end()).isEqualTo(DEATH);
    }

    @Test
    void stalls_are_faults_of_everybody() throws IOException {
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.stalled(5);
        }

        FaultWindow stall = read().stalls().get(0);

        assertThat(stall.process()).isNull();
        assertThat(stall.from()).isEqualTo(5);
        assertThat(stall.to()).isGreaterThan(5);
    }

    @Test
    void an_event_is_in_flight_until_it_is_freed_or_its_process_ends() throws IOException {
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.taken("x", "1");
            journal.taken("y", "1");
            journal.freed("x", "1");
            journal.freed("x", "1");
        }

        assertThat(read().flights())
                .extracting(Flight::outbox, Flight::eventId, Flight::process, flight -> flight.to() == DEATH)
                .containsExactly(tuple("x", "1", "A", false), tuple("y", "1", "A", true));
    }

    @Test
    void a_process_that_died_before_its_first_delivery_has_none() throws IOException {
        assertThat(read().deliveries()).isEmpty();
    }

    @Test
    void what_cannot_be_is_refused() throws IOException {
        Files.writeString(file(), "end 5 1 x 1 OK 7\n");
        assertThatThrownBy(this::read).hasMessageContaining("an end without a beginning");

        Files.writeString(file(), "what 5\n");
        assertThatThrownBy(this::read).hasMessageContaining("unknown line");
    }

    @Test
    void the_last_line_tells_when_its_process_was_last_seen() throws Exception {
        assertThat(read().lastSign()).as("of a process that wrote nothing").isEqualTo(DEATH);
        try (DeliveryJournal journal = new DeliveryJournal(file())) {
            journal.taken("x", "1");
            journal.begin("x", "1");
        }

        assertThat(read().lastSign()).isEqualTo(read().deliveries().get(0).start());
    }
}
