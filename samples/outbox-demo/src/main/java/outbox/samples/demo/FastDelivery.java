package outbox.samples.demo;

import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Orders are committed and delivered; the time in between is measured. */
final class FastDelivery implements Chapter {

    private static final int WARM_UP = 500;
    private static final int MEASURED = 500;
    private static final int PATIENCE_SECONDS = 20;

    /** The time from the commit to the start of the listener, in nanoseconds. */
    private record Latency(long median, long max) {}

    @Override
    public String name() {
        return "delivery";
    }

    @Override
    public String title() {
        return "Orders are committed, and delivered at once";
    }

    @Override
    public void play(Stage stage) throws Exception {
        Database database = stage.database();
        Printout out = stage.out();
        Semaphore delivered = new Semaphore(0);
        try (Shop shop = Shop.open(database, Shop.Settings.USUAL, event -> delivered.release())) {
            sell(shop, "warm-up", WARM_UP, delivered);
            out.line("%d orders to warm up, not measured", WARM_UP);
            sell(shop, "measured", MEASURED, delivered);
        }
        Latency latency = measured(database);
        out.line("%d orders measured, one after the other, database in memory", MEASURED);
        out.line("from commit to listener: median %s, slowest %s", inMillis(latency.median), inMillis(latency.max));
    }

    private static void sell(Shop shop, String name, int orders, Semaphore delivered) throws Exception {
        for (int i = 1; i <= orders; i++) {
            shop.sell(Order.of(name + "-" + i));
            if (!delivered.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new BrokenPromise(
                        "order " + name + "-" + i + " was not delivered within " + PATIENCE_SECONDS + " s");
            }
        }
    }

    private static Latency measured(Database database) throws SQLException {
        return database.query(
                        "SELECT MEDIAN(after_commit_ns), MAX(after_commit_ns) FROM delivery_journal"
                                + " WHERE order_id LIKE 'measured-%'",
                        row -> new Latency(row.getLong(1), row.getLong(2)))
                .get(0);
    }

    private static String inMillis(long nanos) {
        return String.format(Locale.ROOT, "%.3f ms", nanos / 1_000_000.0);
    }
}
