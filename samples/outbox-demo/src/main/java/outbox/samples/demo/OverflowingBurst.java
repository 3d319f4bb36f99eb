package outbox.samples.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.samples.demo.DispatchCounts.Kind;

/** More orders come in than the hot queue holds; the rest waits in the table until the poller finds it. */
final class OverflowingBurst implements Chapter {

    private static final int ORDERS = 300;
    private static final Shop.Settings SMALL_QUEUE = new Shop.Settings(2, 20, 10);

    @Override
    public String name() {
        return "burst";
    }

    @Override
    public String title() {
        return "A burst overflows the queue, and the poller catches the rest";
    }

    @Override
    public void play(Stage stage) throws Exception {
        Database database = stage.database();
        Printout out = stage.out();
        CountDownLatch warehouseOpens = new CountDownLatch(1);
        try (Shop shop = Shop.open(database, SMALL_QUEUE, event -> waitFor(warehouseOpens, event))) {
            for (int i = 1; i <= ORDERS; i++) {
                shop.sell(Order.of("rush-" + i));
            }
            int refused = shop.counts().of(Kind.REFUSED_BY_HOT_QUEUE);
            out.line(
                    "%d orders while the warehouse is closed, hot queue for %d",
                    ORDERS, SMALL_QUEUE.hotQueueCapacity());
            out.line("refused by the hot queue: %d, safe in the table", refused);
            if (refused == 0) {
                throw new BrokenPromise("the burst did not overflow the hot queue");
            }
            warehouseOpens.countDown();
            shop.counts().await(Kind.DONE, ORDERS);
            out.line("found by the poller: %d", shop.counts().of(Kind.FOUND_BY_POLLER));
            out.line("delivered in the end: %d", Tally.of(database).delivered());
        }
    }

    private static void waitFor(CountDownLatch opening, EventEnvelope event) throws InterruptedException {
        if (!opening.await(20, TimeUnit.SECONDS)) {
            throw new BrokenPromise("the warehouse never opened for " + Order.idOf(event));
        }
    }
}
