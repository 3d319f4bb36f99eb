package outbox.testing.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.Outcome;
import outbox.ReceiverAwayException;

/** A receiver in this process, which answers from a thread of its own after a moment, as one at the other end of a network does. */
abstract class MemoryReceiver implements ListenerFixture {

    private final List<Received> received = new ArrayList<>();
    private final List<Runnable> unanswered = new ArrayList<>();
    private final ExecutorService network = Executors.newSingleThreadExecutor();
    private Set<String> refused = Set.of();
    private boolean hanging;
    private boolean away;

    /** Brings an event; the answer comes later. */
    final synchronized CompletionStage<Outcome> send(EventEnvelope event) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        if (away) {
            return CompletableFuture.failedFuture(new ReceiverAwayException("nobody is there"));
        }
        CompletableFuture.delayedExecutor(200, TimeUnit.MICROSECONDS, network).execute(() -> arrives(event, answer));
        return answer;
    }

    /** Brings events and waits for all answers. */
    final List<Outcome> sendAll(List<Delivery> batch) throws InterruptedException {
        List<CompletableFuture<Outcome>> answers = batch.stream()
                .map(delivery -> send(delivery.event()).toCompletableFuture())
                .toList();
        List<Outcome> outcomes = new ArrayList<>();
        for (CompletableFuture<Outcome> answer : answers) {
            outcomes.add(outcomeOf(answer));
        }
        return outcomes;
    }

    /** Waits for the answer. */
    static Outcome outcomeOf(CompletableFuture<Outcome> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            return Outcome.failed(e.getCause());
        }
    }

    private synchronized void arrives(EventEnvelope event, CompletableFuture<Outcome> answer) {
        if (hanging) {
            unanswered.add(() -> accept(event, answer));
        } else {
            accept(event, answer);
        }
    }

    private synchronized void accept(EventEnvelope event, CompletableFuture<Outcome> answer) {
        if (refused.contains(event.eventId())) {
            answer.completeExceptionally(new IllegalStateException("not this one"));
            return;
        }
        received.add(new Received(
                event.eventId(), event.eventType(), event.aggregateId(), event.payloadJson(), headersOf(event)));
        answer.complete(Outcome.done());
    }

    private static Map<String, @Nullable String> headersOf(EventEnvelope event) {
        return event.headers();
    }

    @Override
    public synchronized List<Received> received() {
        return List.copyOf(received);
    }

    @Override
    public synchronized void refuse(Set<String> eventIds) {
        refused = Set.copyOf(eventIds);
    }

    @Override
    public synchronized void hang() {
        hanging = true;
    }

    @Override
    public synchronized void answer() {
        hanging = false;
        List<Runnable> late = List.copyOf(unanswered);
        unanswered.clear();
        late.forEach(network::execute);
    }

    @Override
    public synchronized void away(boolean isAway) {
        away = isAway;
    }

    @Override
    public void close() {
        network.shutdownNow();
    }
}
