package outbox.proof.consumer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import outbox.inbox.ConsumeResult;

/** Has events that arrive at about the same time consumed together: whatever has come while those before them were handled. */
final class Gathering implements AutoCloseable {

    /** More than one, so that batches meet, also within a process. */
    private static final int WORKERS = 3;

    private static final int LARGEST = 100;

    private final Function<List<Letter>, List<ConsumeResult>> consumer;
    private final BlockingQueue<Waiting> arrived = new LinkedBlockingQueue<>();
    private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);

    private record Waiting(Letter letter, CompletableFuture<ConsumeResult> result) {}

    /** @param consumer consumes events of one outbox, and returns a result for each */
    Gathering(Function<List<Letter>, List<ConsumeResult>> consumer) {
        this.consumer = consumer;
        for (int i = 0; i < WORKERS; i++) {
            workers.execute(this::work);
        }
    }

    /** Returns what became of the event, once its batch has been consumed. */
    ConsumeResult consume(Letter letter) {
        CompletableFuture<ConsumeResult> result = new CompletableFuture<>();
        arrived.add(new Waiting(letter, result));
        return result.join();
    }

    private void work() {
        try {
            while (true) {
                List<Waiting> batch = new ArrayList<>(List.of(arrived.take()));
                arrived.drainTo(batch, LARGEST - 1);
                batch.stream()
                        .collect(Collectors.groupingBy(
                                waiting -> waiting.letter().outbox()))
                        .values()
                        .forEach(this::consumeTogether);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void consumeTogether(List<Waiting> batch) {
        try {
            List<ConsumeResult> results =
                    consumer.apply(batch.stream().map(Waiting::letter).toList());
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).result().complete(results.get(i));
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(waiting -> waiting.result().completeExceptionally(e));
        }
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
