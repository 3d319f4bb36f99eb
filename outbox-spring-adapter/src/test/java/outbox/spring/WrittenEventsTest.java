package outbox.spring;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What becomes of events in each end that a Spring transaction can come to. */
class WrittenEventsTest {

    private final TestDatabase database = new TestDatabase();
    private final Outcomes outcomes = new Outcomes();
    private final OutboxWriter writer =
            new OutboxWriter(new SpringTxContext(database.dataSource()), new EventTable(), outcomes);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_commit_keeps_the_event_with_the_data_and_tells_the_hook_afterwards() {
        database.required().executeWithoutResult(status -> {
            insertOrder(1);
            writer.write("OrderPlaced", "{}");
            assertThat(database.committedEvents()).isEmpty();
            assertThat(outcomes.committed).isEmpty();
        });

        assertThat(orders()).isOne();
        assertThat(database.committedEvents()).containsExactly("OrderPlaced");
        assertThat(outcomes.committed).containsExactly("OrderPlaced");
        assertThat(outcomes.rolledBack).isEmpty();
    }

    @Test
    void an_exception_takes_the_event_back_with_the_data() {
        assertThatIllegalStateException()
                .isThrownBy(() -> database.required().executeWithoutResult(status -> {
                    insertOrder(1);
                    writer.write("OrderPlaced", "{}");
                    throw new IllegalStateException("business failure");
                }))
                .withMessage("business failure");

        assertThat(orders()).isZero();
        assertOnlyRolledBack("OrderPlaced");
    }

    @Test
    void a_transaction_marked_rollback_only_dispatches_nothing() {
        database.required().executeWithoutResult(status -> {
            writer.write("OrderPlaced", "{}");
            status.setRollbackOnly();
        });

        assertOnlyRolledBack("OrderPlaced");
    }

    @Test
    void a_participant_that_marks_the_transaction_rollback_only_takes_every_event_back() {
        assertThatExceptionOfType(UnexpectedRollbackException.class)
                .isThrownBy(() -> database.required().executeWithoutResult(outer -> {
                    writer.write("Outer", "{}");
                    database.required().executeWithoutResult(inner -> {
                        writer.write("Inner", "{}");
                        inner.setRollbackOnly();
                    });
                }));

        assertOnlyRolledBack("Outer", "Inner");
    }

    @Test
    void a_commit_that_fails_leaves_the_outcome_unknown_and_dispatches_nothing() {
        TestDatabase doomed = new TestDatabase();
        OutboxWriter doomedWriter =
                new OutboxWriter(new SpringTxContext(doomed.dataSource()), new EventTable(), outcomes);

        assertThatExceptionOfType(TransactionSystemException.class)
                .isThrownBy(() -> doomed.required().executeWithoutResult(status -> {
                    doomedWriter.write("OrderPlaced", "{}");
                    doomed.crash();
                }));

        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactly("OrderPlaced");
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void a_commit_that_fails_is_unknown_with_the_jdbc_transaction_manager_too() {
        TestDatabase doomed = new TestDatabase();
        OutboxWriter doomedWriter =
                new OutboxWriter(new SpringTxContext(doomed.dataSource()), new EventTable(), outcomes);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(doomed.dataSource()));

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    doomedWriter.write("OrderPlaced", "{}");
                    doomed.crash();
                }));

        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactly("OrderPlaced");
    }

    @Test
    void callbacks_for_an_unknown_outcome_run_before_those_for_a_rollback_unless_their_savepoint_was_rolled_back() {
        TestDatabase doomed = new TestDatabase();
        SpringTxContext context = new SpringTxContext(doomed.dataSource());
        List<String> calls = new ArrayList<>();

        assertThatExceptionOfType(TransactionSystemException.class)
                .isThrownBy(() -> doomed.required().executeWithoutResult(status -> {
                    context.afterRollback(() -> calls.add("rollback"));
                    context.afterUnknown(() -> calls.add("unknown"));
                    doomed.nested().executeWithoutResult(nested -> {
                        context.afterUnknown(() -> calls.add("nested unknown"));
                        context.afterRollback(() -> calls.add("nested rollback"));
                        nested.setRollbackOnly();
                    });
                    doomed.crash();
                }));

        assertThat(calls).containsExactly("unknown", "nested rollback", "rollback");
    }

    @Test
    void callbacks_for_an_unknown_outcome_do_not_run_when_it_is_known() {
        SpringTxContext context = new SpringTxContext(database.dataSource());
        List<String> calls = new ArrayList<>();
        database.required().executeWithoutResult(status -> context.afterUnknown(() -> calls.add("unknown")));
        database.required().executeWithoutResult(status -> {
            context.afterUnknown(() -> calls.add("unknown"));
            status.setRollbackOnly();
        });

        assertThat(calls).isEmpty();
    }

    @Test
    void an_inner_transaction_of_its_own_commits_although_the_suspended_outer_one_rolls_back() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Outer", "{}");
            database.requiresNew().executeWithoutResult(inner -> writer.write("Inner", "{}"));
            assertThat(outcomes.committed).containsExactly("Inner");
            writer.write("OuterAgain", "{}");
            outer.setRollbackOnly();
        });

        assertThat(database.committedEvents()).containsExactly("Inner");
        assertThat(outcomes.committed).containsExactly("Inner");
        assertThat(outcomes.rolledBack).containsExactly("Outer", "OuterAgain");
    }

    @Test
    void an_inner_transaction_of_its_own_rolls_back_although_the_suspended_outer_one_commits() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Outer", "{}");
            database.requiresNew().executeWithoutResult(inner -> {
                writer.write("Inner", "{}");
                inner.setRollbackOnly();
            });
            assertThat(outcomes.rolledBack).containsExactly("Inner");
            assertThat(outcomes.committed).isEmpty();
        });

        assertThat(database.committedEvents()).containsExactly("Outer");
        assertThat(outcomes.committed).containsExactly("Outer");
        assertThat(outcomes.rolledBack).containsExactly("Inner");
    }

    @Test
    void a_read_only_transaction_is_a_hint_that_leaves_the_decision_to_the_database() {
        database.readOnly().executeWithoutResult(status -> writer.write("OrderPlaced", "{}"));

        // H2 ignores the hint and inserts; a database that enforces it fails the insert itself.
        assertThat(database.committedEvents()).containsExactly("OrderPlaced");
        assertThat(outcomes.committed).containsExactly("OrderPlaced");
    }

    @Test
    void nothing_is_written_without_a_transaction() {
        assertThatIllegalStateException().isThrownBy(() -> writer.write("OrderPlaced", "{}"));

        assertThat(database.committedEvents()).isEmpty();
    }

    @Test
    void a_writer_without_a_hook_registers_nothing() {
        OutboxWriter silent = new OutboxWriter(new SpringTxContext(database.dataSource()), new EventTable());

        database.required().executeWithoutResult(status -> {
            silent.write("OrderPlaced", "{}");
            assertThat(TransactionSynchronizationManager.getSynchronizations()).isEmpty();
        });

        assertThat(database.committedEvents()).containsExactly("OrderPlaced");
    }

    private void assertOnlyRolledBack(String... eventTypes) {
        assertThat(database.committedEvents()).isEmpty();
        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactly(eventTypes);
    }

    private void insertOrder(int id) {
        database.jdbc().update("INSERT INTO orders VALUES (?)", id);
    }

    private int orders() {
        return database.jdbc().queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
    }
}
