package outbox.spring;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Events follow the savepoint that takes them back: what is not in the table after the commit is not dispatched. */
class SavepointsTest {

    private final TestDatabase database = new TestDatabase();
    private final Outcomes outcomes = new Outcomes();
    private final SpringTxContext context = new SpringTxContext(database.dataSource());
    private final OutboxWriter writer = new OutboxWriter(context, new EventTable(), outcomes);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void events_of_a_nested_transaction_that_was_rolled_back_are_not_dispatched_with_the_outer_ones() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Before", "{}");
            rollBackNested("Nested");
            writer.write("After", "{}");
        });

        assertThat(outcomes.committed).containsExactly("Before", "After");
        assertThat(outcomes.rolledBack).containsExactly("Nested");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_nested_transaction_that_holds_the_first_event_is_recognised_as_well() {
        database.required().executeWithoutResult(outer -> {
            rollBackNested("Nested");
            writer.write("After", "{}");
        });

        assertThat(outcomes.committed).containsExactly("After");
        assertThat(outcomes.rolledBack).containsExactly("Nested");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_nested_transaction_ended_by_an_exception_takes_its_events_back() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Before", "{}");
            assertThatIllegalStateException()
                    .isThrownBy(() -> database.nested().executeWithoutResult(nested -> {
                        writer.write("Nested", "{}");
                        throw new IllegalStateException("business failure");
                    }));
        });

        assertThat(outcomes.committed).containsExactly("Before");
        assertThat(outcomes.rolledBack).containsExactly("Nested");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void events_of_a_nested_transaction_that_committed_wait_for_the_outer_commit() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Before", "{}");
            database.nested().executeWithoutResult(nested -> writer.write("Nested", "{}"));
            assertThat(outcomes.committed).isEmpty();
            writer.write("After", "{}");
        });

        assertThat(outcomes.committed).containsExactly("Before", "Nested", "After");
        assertThat(outcomes.rolledBack).isEmpty();
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void an_outer_rollback_takes_every_event_back_and_tells_each_once() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Before", "{}");
            database.nested().executeWithoutResult(nested -> writer.write("NestedCommitted", "{}"));
            rollBackNested("NestedRolledBack");
            outer.setRollbackOnly();
        });

        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactlyInAnyOrder("Before", "NestedCommitted", "NestedRolledBack");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_rollback_in_depth_takes_back_only_its_own_level() {
        database.required().executeWithoutResult(outer -> {
            writer.write("One", "{}");
            database.nested().executeWithoutResult(second -> {
                writer.write("Two", "{}");
                rollBackNested("Three");
                writer.write("TwoAgain", "{}");
            });
        });

        assertThat(outcomes.committed).containsExactly("One", "Two", "TwoAgain");
        assertThat(outcomes.rolledBack).containsExactly("Three");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_rollback_takes_back_what_deeper_levels_had_committed() {
        database.required().executeWithoutResult(outer -> {
            writer.write("One", "{}");
            database.nested().executeWithoutResult(second -> {
                writer.write("Two", "{}");
                database.nested().executeWithoutResult(third -> writer.write("Three", "{}"));
                second.setRollbackOnly();
            });
        });

        assertThat(outcomes.committed).containsExactly("One");
        assertThat(outcomes.rolledBack).containsExactly("Two", "Three");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void the_first_event_two_levels_down_is_taken_back_by_the_upper_of_two_unseen_savepoints() {
        database.required().executeWithoutResult(outer -> {
            database.nested().executeWithoutResult(second -> {
                database.nested().executeWithoutResult(third -> writer.write("Three", "{}"));
                second.setRollbackOnly();
            });
            writer.write("One", "{}");
        });

        assertThat(outcomes.committed).containsExactly("One");
        assertThat(outcomes.rolledBack).containsExactly("Three");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void one_nested_transaction_after_another_is_judged_by_its_own_savepoint() {
        database.required().executeWithoutResult(outer -> {
            database.nested().executeWithoutResult(nested -> writer.write("First", "{}"));
            rollBackNested("Second");
            database.nested().executeWithoutResult(nested -> writer.write("Third", "{}"));
            rollBackNested("Fourth");
        });

        assertThat(outcomes.committed).containsExactly("First", "Third");
        assertThat(outcomes.rolledBack).containsExactly("Second", "Fourth");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_savepoint_of_the_status_can_be_rolled_back_to_more_than_once() {
        database.required().executeWithoutResult(status -> {
            writer.write("Kept", "{}");
            Object savepoint = status.createSavepoint();
            writer.write("First", "{}");
            status.rollbackToSavepoint(savepoint);
            writer.write("Second", "{}");
            status.rollbackToSavepoint(savepoint);
            status.releaseSavepoint(savepoint);
            writer.write("Third", "{}");
        });

        assertThat(outcomes.committed).containsExactly("Kept", "Third");
        assertThat(outcomes.rolledBack).containsExactly("First", "Second");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_rollback_to_an_early_savepoint_forgets_the_later_ones() {
        database.required().executeWithoutResult(status -> {
            writer.write("Kept", "{}");
            Object early = status.createSavepoint();
            writer.write("First", "{}");
            status.createSavepoint();
            writer.write("Second", "{}");
            status.rollbackToSavepoint(early);
            writer.write("Third", "{}");
            status.createSavepoint();
            writer.write("Fourth", "{}");
        });

        assertThat(outcomes.committed).containsExactly("Kept", "Third", "Fourth");
        assertThat(outcomes.rolledBack).containsExactly("First", "Second");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void savepoints_of_an_outer_transaction_survive_an_inner_one_of_its_own() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Outer", "{}");
            database.nested().executeWithoutResult(nested -> {
                writer.write("Nested", "{}");
                database.requiresNew().executeWithoutResult(inner -> writer.write("Inner", "{}"));
                nested.setRollbackOnly();
            });
        });

        assertThat(outcomes.committed).containsExactly("Inner", "Outer");
        assertThat(outcomes.rolledBack).containsExactly("Nested");
        assertDispatchedWhatIsInTheTable();
    }

    @Test
    void a_rollback_callback_that_throws_does_not_stop_the_rollback_to_the_savepoint() {
        database.required().executeWithoutResult(outer -> {
            writer.write("Before", "{}");
            database.nested().executeWithoutResult(nested -> {
                context.afterRollback(() -> {
                    throw new IllegalStateException("callback failure");
                });
                writer.write("Nested", "{}");
                nested.setRollbackOnly();
            });
        });

        assertThat(outcomes.committed).containsExactly("Before");
        assertThat(outcomes.rolledBack).containsExactly("Nested");
        assertDispatchedWhatIsInTheTable();
    }

    private void rollBackNested(String eventType) {
        database.nested().executeWithoutResult(nested -> {
            writer.write(eventType, "{}");
            nested.setRollbackOnly();
        });
    }

    private void assertDispatchedWhatIsInTheTable() {
        assertThat(outcomes.committed).containsExactlyInAnyOrderElementsOf(database.committedEvents());
    }
}
