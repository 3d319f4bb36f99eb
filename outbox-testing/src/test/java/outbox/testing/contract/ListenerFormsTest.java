package outbox.testing.contract;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import outbox.Listener;
import outbox.Outcome;
import outbox.util.DaemonThreadFactory;

/** The contract of listeners, with each way in which one is called. */
class ListenerFormsTest {

    @Nested
    class OneAfterTheOther extends ListenerContract {
        @Override
        protected ListenerFixture newFixture() {
            return new MemoryReceiver() {
                @Override
                public Listener listener() {
                    return Listener.of(
                            (event, delivery) -> outcomeOf(send(event).toCompletableFuture()));
                }
            };
        }
    }

    @Nested
    class OnThreadsOfItsOwn extends ListenerContract {
        @Override
        protected ListenerFixture newFixture() {
            return new MemoryReceiver() {
                @Override
                public Listener listener() {
                    return Listener.of(
                                    (event, delivery) -> outcomeOf(send(event).toCompletableFuture()))
                            .threads(new DaemonThreadFactory("receiver-"), 3);
                }
            };
        }
    }

    @Nested
    class WithStages extends ListenerContract {
        @Override
        protected ListenerFixture newFixture() {
            return new MemoryReceiver() {
                @Override
                public Listener listener() {
                    return Listener.async((event, delivery) -> send(event));
                }
            };
        }
    }

    @Nested
    class InBatches extends ListenerContract {
        @Override
        protected ListenerFixture newFixture() {
            return new MemoryReceiver() {
                @Override
                public Listener listener() {
                    return Listener.batch(20, Duration.ofMillis(5), this::sendAll);
                }
            };
        }
    }

    /** A listener that knows only whether all of a batch has gone well. */
    @Nested
    class InBatchesThatAreDivided extends ListenerContract {
        @Override
        protected ListenerFixture newFixture() {
            return new MemoryReceiver() {
                @Override
                public Listener listener() {
                    return Listener.batch(20, Duration.ofMillis(5), batch -> {
                        List<Outcome> outcomes = sendAll(batch);
                        for (Outcome outcome : outcomes) {
                            if (outcome.asFailure() instanceof RuntimeException failure) {
                                throw failure;
                            }
                        }
                        return outcomes;
                    });
                }
            };
        }
    }
}
