package outbox.inbox.it;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.it.CountingDataSource.Costs;

import static org.assertj.core.api.Assertions.assertThat;

/** How many statements and commits an event costs, the handler's own insert included. */
abstract class StatementCountSuite {

    private CountingDataSource counting;
    private InboxFixture inbox;

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        counting = new CountingDataSource(database().pool());
        inbox = new InboxFixture(counting);
        consume(InboxFixture.event(), ConsumeOptions.inOneTransaction());
        counting.reset();
    }

    private Costs consume(EventEnvelope event, ConsumeOptions options) {
        counting.reset();
        inbox.template.consume(inbox.group, event, inbox.effect(), options);
        return counting.costs();
    }

    @Test
    void in_one_transaction_a_first_arrival_is_two_statements_and_one_commit_and_a_duplicate_one_statement() {
        EventEnvelope event = InboxFixture.event();

        assertThat(consume(event, ConsumeOptions.inOneTransaction())).isEqualTo(new Costs(2, 1));
        assertThat(consume(event, ConsumeOptions.inOneTransaction()).statements())
                .isEqualTo(1);
    }

    @Test
    void with_a_lease_a_first_arrival_is_three_statements_and_two_commits_and_a_duplicate_one_statement() {
        EventEnvelope event = InboxFixture.event();

        assertThat(consume(event, ConsumeOptions.defaults())).isEqualTo(new Costs(3, 2));
        assertThat(consume(event, ConsumeOptions.defaults()).statements()).isEqualTo(1);
    }

    @Test
    void a_copy_of_an_event_that_is_being_handled_is_one_statement() {
        EventEnvelope event = InboxFixture.event();
        inbox.repository.tryAcquire(inbox.wish(event, "other"));
        counting.reset();
        assertThat(inbox.template
                        .consume(inbox.group, event, inbox.effect(), ConsumeOptions.inOneTransaction())
                        .inProgress())
                .isTrue();
        assertThat(counting.costs().statements()).isEqualTo(1);
    }

    @Test
    void a_new_batch_is_acquired_by_one_statement_and_a_repeated_one_looked_at_by_at_most_two() {
        List<EventEnvelope> events = BatchSuite.events(100);
        counting.reset();
        inbox.template.consumeAll(inbox.group, events, inbox.effect(), ConsumeOptions.defaults());
        assertThat(counting.costs()).isEqualTo(new Costs(101, 1));

        counting.reset();
        inbox.template.consumeAll(inbox.group, events, inbox.effect(), ConsumeOptions.defaults());
        assertThat(counting.costs().statements()).isLessThanOrEqualTo(2);
        assertThat(inbox.effects()).isEqualTo(101);
    }

    @Test
    void a_new_batch_for_one_call_is_as_many_statements_and_commits_as_a_single_event() {
        List<EventEnvelope> events = BatchSuite.events(100);
        inbox.template.consumeBatch(inbox.group, events, inbox.effectOfAll(), ConsumeOptions.defaults());
        assertThat(counting.costs()).isEqualTo(new Costs(2, 1));
        assertThat(inbox.effects()).isEqualTo(101);
    }
}
