package outbox.spring;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Spring runs code after the commit while the transaction still looks active and its connection is still bound. What is
 * written then is part of nothing, and must be refused rather than left to chance.
 */
class AfterTheEndTest {

    private static final String ENDED = "the transaction has already committed or rolled back";

    private final TestDatabase database = new TestDatabase();
    private final Outcomes outcomes = new Outcomes();
    private final SpringTxContext context = new SpringTxContext(database.dataSource());
    private final OutboxWriter writer = new OutboxWriter(context, new EventTable(), outcomes);
    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void an_event_written_by_a_commit_callback_is_refused() {
        database.required().executeWithoutResult(status -> context.afterCommit(this::assertWriteRefused));

        assertNothingWritten();
    }

    @Test
    void an_event_written_by_a_rollback_callback_is_refused() {
        database.required().executeWithoutResult(status -> {
            context.afterRollback(this::assertWriteRefused);
            status.setRollbackOnly();
        });

        assertNothingWritten();
    }

    @Test
    void an_event_written_by_the_code_of_others_after_the_commit_is_refused() {
        database.required().executeWithoutResult(status -> {
            runAfterCommit(this::assertWriteRefused);
            writer.write("InTime", "{}");
        });

        assertThat(calls).containsExactly("refused");
        assertThat(database.committedEvents()).containsExactly("InTime");
        assertThat(outcomes.committed).containsExactly("InTime");
    }

    @Test
    void callbacks_registered_after_the_commit_are_refused() {
        database.required()
                .executeWithoutResult(status -> context.afterCommit(() -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> context.afterCommit(() -> calls.add("commit")))
                            .satisfies(e -> assertThat(e).message().containsIgnoringCase(ENDED));
                    assertThatIllegalStateException()
                            .isThrownBy(() -> context.afterRollback(() -> calls.add("rollback")))
                            .satisfies(e -> assertThat(e).message().containsIgnoringCase(ENDED));
                }));

        assertThat(calls).isEmpty();
    }

    @Test
    void callbacks_that_slip_in_after_the_commit_do_not_run_as_if_it_were_theirs() {
        database.required()
                .executeWithoutResult(status -> runAfterCommit(() -> {
                    context.afterCommit(() -> calls.add("commit"));
                    context.afterRollback(() -> calls.add("rollback"));
                }));

        assertThat(calls).isEmpty();
    }

    @Test
    void an_event_written_just_before_the_commit_is_part_of_it() {
        database.required()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                writer.write("LastMinute", "{}");
                            }
                        }));

        assertThat(database.committedEvents()).containsExactly("LastMinute");
        assertThat(outcomes.committed).containsExactly("LastMinute");
    }

    @Test
    void an_event_written_while_the_commit_is_being_prepared_is_part_of_it() {
        database.required()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCompletion() {
                                writer.write("LastSecond", "{}");
                            }
                        }));

        assertThat(database.committedEvents()).containsExactly("LastSecond");
        assertThat(outcomes.committed).containsExactly("LastSecond");
    }

    @Test
    void a_new_transaction_after_the_commit_is_the_way_to_write_another_event() {
        database.required()
                .executeWithoutResult(status -> context.afterCommit(
                        () -> database.requiresNew().executeWithoutResult(inner -> writer.write("FollowUp", "{}"))));

        assertThat(database.committedEvents()).containsExactly("FollowUp");
        assertThat(outcomes.committed).containsExactly("FollowUp");
    }

    private void assertWriteRefused() {
        assertThat(context.isTransactionActive()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> writer.write("TooLate", "{}"))
                .satisfies(e -> assertThat(e).message().containsIgnoringCase(ENDED))
                .withMessageContaining("PROPAGATION_REQUIRES_NEW");
        calls.add("refused");
    }

    private void assertNothingWritten() {
        assertThat(calls).containsExactly("refused");
        assertThat(database.committedEvents()).isEmpty();
        assertThat(outcomes.committed).isEmpty();
    }

    private static void runAfterCommit(Runnable code) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE + 1;
            }

            @Override
            public void afterCommit() {
                code.run();
            }
        });
    }
}
