package outbox.spring;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

class CallbackFailuresTest {

    private final TestDatabase database = new TestDatabase();
    private final SpringTxContext context = new SpringTxContext(database.dataSource());
    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void all_commit_callbacks_run_and_the_first_exception_carries_the_later_ones() {
        RuntimeException first = new IllegalStateException("first");
        RuntimeException second = new IllegalArgumentException("second");

        Throwable thrown = catchThrowable(() -> database.required().executeWithoutResult(status -> {
            context.afterCommit(() -> callAndThrow("one", first));
            context.afterCommit(() -> calls.add("two"));
            context.afterCommit(() -> callAndThrow("three", second));
            context.afterCommit(() -> calls.add("four"));
        }));

        assertThat(thrown).isSameAs(first).hasSuppressedException(second);
        assertThat(calls).containsExactly("one", "two", "three", "four");
    }

    @Test
    void an_error_propagates_as_it_is() {
        Error error = new AssertionError("broken");

        Throwable thrown = catchThrowable(() -> database.required().executeWithoutResult(status -> {
            context.afterCommit(() -> callAndThrow("one", error));
            context.afterCommit(() -> calls.add("two"));
        }));

        assertThat(thrown).isSameAs(error);
        assertThat(calls).containsExactly("one", "two");
    }

    @Test
    void one_exception_thrown_twice_is_not_suppressed_on_itself() {
        RuntimeException same = new IllegalStateException("same");

        Throwable thrown = catchThrowable(() -> database.required().executeWithoutResult(status -> {
            context.afterCommit(() -> callAndThrow("one", same));
            context.afterCommit(() -> callAndThrow("two", same));
        }));

        assertThat(thrown).isSameAs(same).hasNoSuppressedExceptions();
        assertThat(calls).containsExactly("one", "two");
    }

    @Test
    void a_checked_exception_smuggled_out_of_a_callback_does_not_stop_the_others() {
        IOException checked = new IOException("smuggled");

        assertThatExceptionOfType(UndeclaredThrowableException.class)
                .isThrownBy(() -> database.required().executeWithoutResult(status -> {
                    context.afterCommit(() -> callAndThrow("one", checked));
                    context.afterCommit(() -> calls.add("two"));
                }))
                .withCause(checked);
        assertThat(calls).containsExactly("one", "two");
    }

    @Test
    void a_failing_commit_callback_leaves_the_transaction_committed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> database.required().executeWithoutResult(status -> {
                    database.jdbc().update("INSERT INTO event VALUES ('1', 'Kept')");
                    context.afterRollback(() -> calls.add("rollback"));
                    context.afterCommit(() -> callAndThrow("commit", new IllegalStateException()));
                }));

        assertThat(database.committedEvents()).containsExactly("Kept");
        assertThat(calls).containsExactly("commit");
    }

    @Test
    void all_rollback_callbacks_run_and_spring_keeps_what_they_throw_to_its_log() {
        assertThatCode(() -> database.required().executeWithoutResult(status -> {
                    context.afterRollback(() -> callAndThrow("one", new IllegalStateException("first")));
                    context.afterRollback(() -> callAndThrow("two", new IllegalStateException("second")));
                    context.afterRollback(() -> calls.add("three"));
                    status.setRollbackOnly();
                }))
                .doesNotThrowAnyException();

        assertThat(calls).containsExactly("one", "two", "three");
    }

    @Test
    void callbacks_of_two_contexts_do_not_stop_each_other() {
        SpringTxContext other = new SpringTxContext(database.dataSource());

        assertThatIllegalStateException()
                .isThrownBy(() -> database.required().executeWithoutResult(status -> {
                    context.afterCommit(() -> callAndThrow("one", new IllegalStateException()));
                    other.afterCommit(() -> calls.add("two"));
                }));

        assertThat(calls).containsExactly("one", "two");
    }

    @Test
    void callbacks_whose_turn_spring_skips_because_code_of_others_failed_run_all_the_same() {
        assertThatIllegalStateException()
                .isThrownBy(() -> database.required().executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new FailsFirst());
                    context.afterRollback(() -> calls.add("rollback"));
                    context.afterCommit(() -> calls.add("commit"));
                }))
                .withMessage("code of others");

        assertThat(calls).containsExactly("commit");
    }

    private static final class FailsFirst implements TransactionSynchronization {

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            throw new IllegalStateException("code of others");
        }
    }

    private void callAndThrow(String name, Throwable failure) {
        calls.add(name);
        CallbackFailuresTest.<RuntimeException>smuggle(failure);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void smuggle(Throwable failure) throws T {
        throw (T) failure;
    }
}
