package outbox.inbox;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.spi.ConsumeMetrics;
import outbox.spi.TxContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the template does when the parts around it fail. */
class TemplateFailuresTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("A", "{}");
    private static final EventHandler NOTHING = event -> {};

    private final Transactions context = new Transactions();
    private final Repository repository = new Repository();

    private DefaultEventHandlerTemplate template(TransactionRunner runner) {
        return new DefaultEventHandlerTemplate(repository, context, runner);
    }

    @Test
    void a_transaction_that_is_rolled_back_without_an_exception_is_a_failure() {
        DefaultEventHandlerTemplate template = template(Runnable::run);

        assertThatThrownBy(() -> template.consume("g", EVENT, NOTHING))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasMessageContaining("was rolled back although its handler returned");
        assertThat(repository.failures).hasSize(1);
    }

    @Test
    void what_callbacks_throw_after_the_commit_is_no_failure() {
        DefaultEventHandlerTemplate template = template(work -> {
            work.run();
            context.callbacks.forEach(Runnable::run);
            throw new IllegalStateException("another callback");
        });

        assertThat(template.consume("g", EVENT, NOTHING).handled()).isTrue();
        assertThat(repository.failures).isEmpty();
    }

    @Test
    void a_failure_that_cannot_be_recorded_is_thrown_all_the_same() {
        repository.markFailed = command -> {
            throw new OutboxException("database away", null);
        };
        IllegalStateException failure = new IllegalStateException("no stock");

        assertThatThrownBy(() -> template(context::commit).consume("g", EVENT, event -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("database away"));
    }

    @Test
    void an_interrupted_handler_leaves_the_thread_interrupted() {
        assertThatThrownBy(() -> template(context::commit).consume("g", EVENT, event -> {
                    throw new InterruptedException();
                }))
                .isInstanceOf(EventConsumeFailedException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_victim_of_a_deadlock_asks_again_and_any_other_failure_to_acquire_is_not_recorded() {
        for (ConsumeOptions options : List.of(ConsumeOptions.defaults(), ConsumeOptions.inOneTransaction())) {
            AtomicInteger asked = new AtomicInteger();
            repository.acquire = () -> {
                if (asked.incrementAndGet() < 3) {
                    throw new OutboxException("deadlock", new SQLException("victim", "40001"));
                }
                return AcquireConsumeResult.of(AcquireConsumeState.ACQUIRED);
            };
            assertThat(template(context::commit)
                            .consume("g", EVENT, NOTHING, options)
                            .handled())
                    .isTrue();
            assertThat(asked.get()).isEqualTo(3);

            repository.acquire = () -> {
                asked.incrementAndGet();
                throw new OutboxException("database away", new SQLException("away", "08006"));
            };
            assertThatThrownBy(() -> template(context::commit).consume("g", EVENT, NOTHING, options))
                    .hasMessage("database away");
            assertThat(asked.get()).isEqualTo(4);
            assertThat(repository.failures).isEmpty();
        }
    }

    /** The state is that of a deadlock, the code tells: another try would wait as long again. */
    @Test
    void a_lock_that_mysql_waited_for_in_vain_is_no_deadlock() {
        for (ConsumeOptions options : List.of(ConsumeOptions.defaults(), ConsumeOptions.inOneTransaction())) {
            AtomicInteger asked = new AtomicInteger();
            repository.acquire = () -> {
                asked.incrementAndGet();
                throw new OutboxException("locked", new SQLException("Lock wait timeout exceeded", "40001", 1205));
            };
            assertThatThrownBy(() -> template(context::commit).consume("g", EVENT, NOTHING, options))
                    .hasMessage("locked");
            assertThat(asked.get()).isEqualTo(1);
        }
    }

    private TransactionRunner refusingTheFirst() {
        AtomicInteger transactions = new AtomicInteger();
        return work -> {
            if (transactions.incrementAndGet() == 1) {
                throw new IllegalStateException("no connection");
            }
            context.commit(work);
        };
    }

    @Test
    void a_batch_whose_transaction_cannot_be_had_is_consumed_one_by_one() {
        DefaultEventHandlerTemplate template = template(refusingTheFirst());
        EventEnvelope other = EventEnvelope.ofJson("A", "{}");

        assertThat(template.consumeAll("g", List.of(EVENT, other), NOTHING, ConsumeOptions.defaults()))
                .hasSize(2)
                .allMatch(ConsumeResult::handled);
    }

    @Test
    void a_repository_that_knows_only_the_four_operations_serves_batches_too() {
        repository.acquire = () -> AcquireConsumeResult.of(AcquireConsumeState.REPLAY_SUCCEEDED);
        assertThat(template(context::commit)
                        .consumeAll("g", List.of(EVENT), NOTHING, ConsumeOptions.defaults())
                        .get(0)
                        .replayed())
                .isTrue();
    }

    @Test
    void a_batch_for_one_call_whose_transaction_cannot_be_had_is_consumed_one_by_one() {
        List<List<EventEnvelope>> calls = new ArrayList<>();
        DefaultEventHandlerTemplate template = template(refusingTheFirst());
        EventEnvelope other = EventEnvelope.ofJson("A", "{}");

        assertThat(template.consumeBatch("g", List.of(EVENT, other), calls::add, ConsumeOptions.defaults()))
                .allMatch(ConsumeResult::handled);
        assertThat(calls).containsExactly(List.of(EVENT), List.of(other));
        assertThat(repository.failures).isEmpty();
    }

    @Test
    void an_interrupted_batch_leaves_the_thread_interrupted_and_each_event_failed() {
        BatchEventHandler interrupted = events -> {
            throw new InterruptedException();
        };
        EventEnvelope other = EventEnvelope.ofJson("A", "{}");

        assertThat(template(context::commit)
                        .consumeBatch("g", List.of(EVENT, other), interrupted, ConsumeOptions.defaults()))
                .hasSize(2)
                .allMatch(ConsumeResult::failed);
        assertThat(Thread.interrupted()).isTrue();

        assertThat(template(context::commit)
                        .consumeAll("g", List.of(EVENT, other), interrupted.oneByOne(), ConsumeOptions.defaults()))
                .allMatch(ConsumeResult::failed);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_template_that_knows_no_batches_for_one_call_calls_for_each_event() {
        List<EventEnvelope> called = new ArrayList<>();
        EventHandlerTemplate old = new EventHandlerTemplate() {
            @Override
            public ConsumeResult consume(String group, EventEnvelope event, EventHandler handler, ConsumeOptions how) {
                throw new UnsupportedOperationException();
            }

            @Override
            public List<ConsumeResult> consumeAll(
                    String group, List<EventEnvelope> events, EventHandler handler, ConsumeOptions how) {
                return template(context::commit).consumeAll(group, events, handler, how);
            }
        };
        EventEnvelope other = EventEnvelope.ofJson("A", "{}");

        assertThat(old.consumeBatch("g", List.of(EVENT, other), called::addAll, ConsumeOptions.defaults()))
                .allMatch(ConsumeResult::handled);
        assertThat(called).containsExactly(EVENT, other);
    }

    @Test
    void metrics_that_fail_harm_nothing() {
        ConsumeMetrics broken = (ConsumeMetrics) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ConsumeMetrics.class}, (proxy, method, args) -> {
                    throw new IllegalStateException("broken");
                });
        DefaultEventHandlerTemplate template =
                new DefaultEventHandlerTemplate(repository, context, context::commit, broken);
        assertThat(template.consume("g", EVENT, NOTHING).handled()).isTrue();
    }

    @Test
    void a_runner_that_does_not_run_its_work_is_found_out() {
        assertThatThrownBy(() -> template(work -> {}).consume("g", EVENT, NOTHING, ConsumeOptions.inOneTransaction()))
                .hasMessageContaining("was rolled back");
    }

    @Test
    void a_group_has_a_name() {
        assertThatThrownBy(() -> template(context::commit).consume(" ", EVENT, NOTHING))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("consumerGroup must not be empty");
    }

    /** Transactions without a database. */
    private static final class Transactions implements TxContext {

        private final List<Runnable> callbacks = new ArrayList<>();

        void commit(Runnable work) {
            callbacks.clear();
            work.run();
            callbacks.forEach(Runnable::run);
        }

        @Override
        public boolean isTransactionActive() {
            return false;
        }

        @Override
        public Connection currentConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void afterCommit(Runnable callback) {
            callbacks.add(callback);
        }

        @Override
        public void afterRollback(Runnable callback) {
            throw new UnsupportedOperationException();
        }
    }

    /** A repository with nothing but the four operations. */
    private static final class Repository implements EventDedupRepository {

        private final List<MarkConsumeFailedCommand> failures = new ArrayList<>();
        private Supplier<AcquireConsumeResult> acquire = () -> AcquireConsumeResult.of(AcquireConsumeState.ACQUIRED);
        private Predicate<MarkConsumeFailedCommand> markFailed = failures::add;

        @Override
        public AcquireConsumeResult tryAcquire(AcquireConsumeCommand command) {
            return acquire.get();
        }

        @Override
        public Optional<ConsumeRecord> find(String consumerGroup, String eventId) {
            return Optional.empty();
        }

        @Override
        public boolean markSuccess(MarkConsumeSuccessCommand command) {
            return true;
        }

        @Override
        public boolean markFailed(MarkConsumeFailedCommand command) {
            return markFailed.test(command);
        }
    }
}
