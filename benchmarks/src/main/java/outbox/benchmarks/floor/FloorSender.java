package outbox.benchmarks.floor;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.RemoteReceiver;

/** Sends the events of a batch, no more of them at once than allowed by all threads together, and waits for the last answer. */
final class FloorSender implements FloorListener {

    private final RemoteReceiver receiver;
    private final Semaphore inFlight = new Semaphore(RemoteReceiver.MOST_IN_FLIGHT);

    FloorSender(Deliveries deliveries) {
        this.receiver = new RemoteReceiver(deliveries);
    }

    @Override
    public void handle(List<FloorSql.Claimed> batch) throws InterruptedException {
        CountDownLatch answers = new CountDownLatch(batch.size());
        for (FloorSql.Claimed event : batch) {
            inFlight.acquire();
            receiver.send(event.payload()).whenComplete((nothing, failure) -> {
                inFlight.release();
                answers.countDown();
            });
        }
        answers.await();
    }

    @Override
    public void close() {
        receiver.close();
    }
}
