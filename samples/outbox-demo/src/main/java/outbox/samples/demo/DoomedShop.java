package outbox.samples.demo;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;

/**
 * A shop in a process of its own that dies at a bad moment: all its orders are committed, few are delivered, one is sold but not
 * yet committed, and of the last delivery the outbox has not been told.
 *
 * <p>Prints the id of each order after its commit, so that somebody outside knows what must not be lost.
 */
final class DoomedShop {

    static final int ORDERS = 40;
    static final int DELIVERED = 15;
    static final String UNCOMMITTED = "unpaid-1";
    static final int EXIT_CODE = 137;

    private static final Shop.Settings ONE_BY_ONE = new Shop.Settings(1, 1000, 10);

    private final CountDownLatch allSold = new CountDownLatch(1);
    private final AtomicInteger deliveries = new AtomicInteger();
    private final Journal journal;

    private DoomedShop(Database database) {
        this.journal = new Journal(database);
    }

    /** Runs the shop on the database file that is the only argument. Does not return. */
    public static void main(String[] args) throws Exception {
        Database database = Database.inFile(Path.of(args[0]));
        database.createTables();
        DoomedShop doomed = new DoomedShop(database);
        doomed.sellUntilTheEnd(Shop.open(database, ONE_BY_ONE, doomed::deliverUntilTheEnd));
    }

    private void sellUntilTheEnd(Shop shop) throws Exception {
        for (int i = 1; i <= ORDERS; i++) {
            Order order = Order.of("saved-" + i);
            shop.sell(order);
            System.out.println(order.id());
        }
        shop.sell(Order.of(UNCOMMITTED), () -> {
            allSold.countDown();
            new CountDownLatch(1).await();
        });
    }

    private void deliverUntilTheEnd(EventEnvelope event) throws Exception {
        allSold.await();
        if (deliveries.incrementAndGet() == DELIVERED) {
            journal.delivered(event, null);
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }
}
