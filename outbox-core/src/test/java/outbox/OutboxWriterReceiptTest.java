package outbox;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import outbox.spi.OutboxStore;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.event;

/** Writes that return what happened to each event. */
class OutboxWriterReceiptTest {

    private final StubTransaction transaction = new StubTransaction();
    private final ReceiptStore store = new ReceiptStore(Set.of("there"));
    private final List<String> told = new ArrayList<>();
    private final OutboxWriter writer = new OutboxWriter(transaction, store, new TellingHook());

    OutboxWriterReceiptTest() throws Exception {} // because of the transaction

    /** A store that already contains some ids. */
    private static final class ReceiptStore extends RecordingStore {
        private final Set<String> there;

        private ReceiptStore(Set<String> there) {
            this.there = there;
        }

        @Override
        public List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
            return events.stream()
                    .map(event ->
                            new WriteReceipt(event.eventId(), OptionalLong.of(7), there.contains(event.eventId())))
                    .toList();
        }
    }

    private final class TellingHook implements WriterHook {
        @Override
        public void afterWrite(List<EventEnvelope> events) {
            told.add("write " + events.stream().map(EventEnvelope::eventId).toList());
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            told.add("commit " + events.stream().map(EventEnvelope::eventId).toList());
        }
    }

    @Test
    void the_receipt_comes_from_the_store() {
        assertThat(writer.enqueue(event("a"), DuplicatePolicy.FAIL))
                .isEqualTo(new WriteReceipt("a", OptionalLong.of(7), false));
    }

    @Test
    void the_hook_hears_only_of_what_was_written() {
        List<WriteReceipt> receipts =
                writer.enqueueAll(List.of(event("a"), event("there"), event("b")), DuplicatePolicy.IGNORE);
        transaction.commit();

        assertThat(receipts).extracting(WriteReceipt::alreadyThere).containsExactly(false, true, false);
        assertThat(told).containsExactly("write [a, b]", "commit [a, b]");
    }

    @Test
    void nothing_is_followed_if_nothing_was_written() {
        assertThat(writer.enqueue(event("there"), DuplicatePolicy.IGNORE).alreadyThere())
                .isTrue();
        transaction.commit();

        assertThat(told).isEmpty();
    }

    @Test
    void nothing_to_write_has_no_receipts() {
        OutboxWriter suppressed = new OutboxWriter(transaction, store, new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return List.of();
            }
        });

        assertThat(writer.enqueueAll(List.of(), DuplicatePolicy.FAIL)).isEmpty();
        assertThat(suppressed.enqueue(event("a"), DuplicatePolicy.FAIL)).isNull();
    }

    @Test
    void a_policy_is_needed() {
        assertThatThrownBy(() -> writer.enqueue(event("a"), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("policy");
    }

    @Test
    void a_store_that_knows_nothing_of_receipts_says_so() {
        OutboxStore plain = new RecordingStore();
        assertThatThrownBy(() -> new OutboxWriter(transaction, plain).enqueue(event("a"), DuplicatePolicy.FAIL))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("does not override insertOnce");
    }

    @Test
    void a_store_that_knows_nothing_of_delays_is_given_none() {
        EventEnvelope delayed = EventEnvelope.builder("Tick")
                .eventId("late")
                .deliverAfter(Duration.ofSeconds(1))
                .payloadJson("{}")
                .build();

        assertThatThrownBy(() -> new OutboxWriter(transaction, new RecordingStore()).write(delayed))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("late")
                .hasMessageContaining("cannot delay events: it does not override canDelay");
    }

    @Test
    void an_exception_names_the_duplicates_and_the_table() {
        List<String> many = List.of("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12");

        assertThat(new DuplicateEventException(List.of("a", "b"), "org_outbox"))
                .hasMessage(
                        "An event id can be written only once, but these are already in table org_outbox or were given twice:"
                                + " a, b. This call wrote nothing and the transaction can go on; use"
                                + " DuplicatePolicy.IGNORE to keep the existing events");
        assertThat(new DuplicateEventException(many, "t")).hasMessageContaining("9, 10 and 2 more.");
        assertThat(new DuplicateEventException(many, "t").eventIds()).isEqualTo(many);
    }
}
