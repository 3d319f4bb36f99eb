package outbox.inbox.it;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.jdbc.tx.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The database commits, and the connection breaks before it can say so. */
abstract class LostAnswerSuite {

    private InboxFixture inbox;
    private DefaultEventHandlerTemplate template;
    private final AtomicBoolean loseNext = new AtomicBoolean(true);

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
        template = new DefaultEventHandlerTemplate(inbox.repository, inbox.context, this::inTransaction);
    }

    private void inTransaction(Runnable work) {
        try (JdbcTransactionManager.Transaction tx = inbox.transactions.begin()) {
            work.run();
            if (loseNext.getAndSet(false)) {
                tx.connection().commit();
                throw new IllegalStateException("answer lost");
            }
            tx.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_single_event_is_replayed_when_it_comes_again(Acquisition acquisition) {
        EventEnvelope event = InboxFixture.event();
        ConsumeOptions options = ConsumeOptions.defaults().withAcquisition(acquisition);

        assertThatThrownBy(() -> template.consume(inbox.group, event, inbox.effect(), options))
                .hasMessage("answer lost");

        assertThat(template.consume(inbox.group, event, inbox.effect(), options).replayed())
                .isTrue();
        assertThat(inbox.effects()).isEqualTo(1);
    }

    @Test
    void the_events_of_a_batch_are_seen_to_be_handled() {
        assertThat(template.consumeAll(inbox.group, BatchSuite.events(5), inbox.effect(), ConsumeOptions.defaults()))
                .allMatch(ConsumeResult::replayed);
        assertThat(inbox.effects()).isEqualTo(5);
    }

    @Test
    void the_events_of_a_batch_for_one_call_are_seen_to_be_handled() {
        List<EventEnvelope> events = BatchSuite.events(5);
        assertThat(template.consumeBatch(inbox.group, events, inbox.effectOfAll(), ConsumeOptions.defaults()))
                .allMatch(ConsumeResult::replayed);
        assertThat(inbox.effects()).isEqualTo(5);
    }
}
