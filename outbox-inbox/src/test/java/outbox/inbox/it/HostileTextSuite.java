package outbox.inbox.it;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeRecord;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.EventHandler;
import outbox.inbox.MarkConsumeFailedCommand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Texts that a database would refuse: a failure is recorded whatever its handler says, and whatever stands in its event. */
@Timeout(120)
abstract class HostileTextSuite {

    private static final String NAME = "java.lang.IllegalStateException: ";
    private static final String EMOJI = "\uD83D\uDE00";

    private InboxFixture inbox;

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    @ParameterizedTest
    @EnumSource
    void each_failure_is_recorded_whatever_the_handler_says(Acquisition acquisition) {
        ConsumeOptions options =
                ConsumeOptions.defaults().withAcquisition(acquisition).withMaxRetry(100);
        EventEnvelope event = InboxFixture.event();

        assertRecorded(event, options, 1, "a\0b", NAME + "a\\u0000b");
        assertRecorded(event, options, 2, "half \uD83D", NAME + "half \uFFFD");
        assertRecorded(event, options, 3, "\uDE00 half", NAME + "\uFFFD half");
        assertRecorded(event, options, 4, "bell\u0007 next\u0085", NAME + "bell\\u0007 next\\u0085");
        assertRecorded(event, options, 5, EMOJI.repeat(4000), NAME + EMOJI.repeat((253 - NAME.length()) / 2) + "...");
        assertRecorded(event, options, 6, "x".repeat(1 << 20), NAME + "x".repeat(253 - NAME.length()) + "...");
    }

    private void assertRecorded(
            EventEnvelope event, ConsumeOptions options, int failures, String message, String recorded) {
        IllegalStateException failure = new IllegalStateException(message);
        assertThatThrownBy(() -> inbox.template.consume(inbox.group, event, inbox.failing(failure), options))
                .isSameAs(failure);

        ConsumeRecord record = inbox.record(event);
        assertThat(record.status()).isEqualTo(ConsumeStatus.FAILED);
        assertThat(record.retryCount()).isEqualTo(failures);
        assertThat(record.errorMsg()).isEqualTo(recorded);
        inbox.letTimePass(event);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_failure_whose_message_cannot_be_had_is_recorded_by_its_class(boolean error) {
        EventEnvelope event = InboxFixture.event();
        MuteException mute = new MuteException(error);
        EventHandler handler = any -> {
            throw mute;
        };
        assertThatThrownBy(() -> inbox.template.consume(inbox.group, event, handler, ConsumeOptions.defaults()))
                .isSameAs(mute);

        assertThat(inbox.record(event).errorMsg()).isEqualTo(MuteException.class.getName());
    }

    @Test
    void an_event_that_cannot_be_kept_does_not_keep_its_failure_from_being_recorded() {
        ConsumeOptions keeping = ConsumeOptions.defaults().keepingFailedEvents();
        for (EventEnvelope event : new EventEnvelope[] {
            EventEnvelope.ofJson(InboxFixture.TYPE, "nul \0"),
            EventEnvelope.builder(InboxFixture.TYPE)
                    .payloadJson("{}")
                    .headers(Map.of("k", "\uD83D"))
                    .build(),
            EventEnvelope.builder(InboxFixture.TYPE)
                    .payloadJson("{}")
                    .aggregateId("nul \0")
                    .build(),
            EventEnvelope.builder(InboxFixture.TYPE)
                    .payloadJson("{}")
                    .aggregateType("x".repeat(65))
                    .build(),
        }) {
            IllegalStateException failure = new IllegalStateException("no stock");
            assertThatThrownBy(() -> inbox.template.consume(inbox.group, event, inbox.failing(failure), keeping))
                    .isSameAs(failure);

            assertThat(inbox.record(event).errorMsg()).isEqualTo(NAME + "no stock");
        }
    }

    @Test
    void a_text_given_to_the_repository_is_made_fit_as_well() {
        EventEnvelope event = InboxFixture.event();
        String text = "\0" + "y".repeat(300);

        assertThat(inbox.repository.markFailed(
                        new MarkConsumeFailedCommand(inbox.group, event, null, text, null, false)))
                .isTrue();

        assertThat(inbox.record(event).errorMsg()).isEqualTo("\\u0000" + "y".repeat(247) + "...");
    }

    @Test
    void an_id_that_cannot_be_stored_is_refused_before_the_database_is_asked() {
        EventEnvelope event = EventEnvelope.builder(InboxFixture.TYPE)
                .eventId("id\0")
                .payloadJson("{}")
                .build();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> inbox.template.consume(inbox.group, event, inbox.effect(), ConsumeOptions.defaults()))
                .withMessageContaining("eventId must not contain U+0000");
    }

    /** An exception that cannot even be asked what happened. */
    private static final class MuteException extends IllegalStateException {

        private static final long serialVersionUID = 1L;
        private final boolean error;

        MuteException(boolean error) {
            this.error = error;
        }

        @Override
        public String getMessage() {
            if (error) {
                throw new StackOverflowError();
            }
            throw new IllegalArgumentException("no message for you");
        }
    }
}
