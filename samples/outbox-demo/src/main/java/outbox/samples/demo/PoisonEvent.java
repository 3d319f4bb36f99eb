package outbox.samples.demo;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.model.OutboxEvent;
import outbox.samples.demo.DispatchCounts.Kind;

/** A bug in the listener makes one event fail for good; it waits in the table until the bug is fixed and it is replayed. */
final class PoisonEvent implements Chapter {

    private static final Shop.Settings THREE_ATTEMPTS = new Shop.Settings(2, 1000, 3);
    private static final int OTHERS = 5;

    /** A voucher has no pieces, which nobody had thought of. */
    private static final Order VOUCHER = new Order("voucher-1", "voucher", 0, 5000);

    /** Prints a label with the price per piece. */
    private static final class LabelPrinter implements EventListener {

        private final Map<String, String> labels = new ConcurrentHashMap<>();
        private volatile boolean fixed;

        @Override
        public void onEvent(EventEnvelope event) {
            Order order = Order.from(event);
            labels.put(order.id(), order.item() + ", " + centsPerPiece(order) + " cents per piece");
        }

        String labelOf(Order order) {
            return labels.getOrDefault(order.id(), "none");
        }

        private int centsPerPiece(Order order) {
            int pieces = fixed ? Math.max(1, order.quantity()) : order.quantity();
            return order.totalCents() / pieces;
        }
    }

    @Override
    public String name() {
        return "poison";
    }

    @Override
    public String title() {
        return "A poison event is set aside, and replayed when the bug is fixed";
    }

    @Override
    public void play(Stage stage) throws Exception {
        Printout out = stage.out();
        LabelPrinter printer = new LabelPrinter();
        try (Shop shop = Shop.open(stage.database(), THREE_ATTEMPTS, printer)) {
            sell(shop);
            shop.counts().await(Kind.DEAD, 1);
            shop.counts().await(Kind.DONE, OTHERS);
            describe(stage.database(), out);
            printer.fixed = true;
            out.line("the bug is fixed, %d event replayed", replay(shop));
            shop.counts().await(Kind.DONE, OTHERS + 1);
        }
        out.line("%s is delivered, its label: %s", VOUCHER.id(), printer.labelOf(VOUCHER));
    }

    private static void sell(Shop shop) throws Exception {
        shop.sell(VOUCHER);
        for (int i = 1; i <= OTHERS; i++) {
            shop.sell(Order.of("healthy-" + i));
        }
    }

    private static void describe(Database database, Printout out) throws SQLException {
        long done = database.count("SELECT COUNT(*) FROM outbox_event WHERE status = 1");
        List<String> dead = database.query(
                "SELECT aggregate_id, last_error FROM outbox_event WHERE status = 3",
                row -> row.getString(1) + " is DEAD: " + row.getString(2));
        out.line("%d other orders are delivered all the same", done);
        dead.forEach(out::line);
    }

    private static int replay(Shop shop) throws SQLException {
        int replayed = 0;
        for (OutboxEvent dead : shop.deadEvents().query(Order.PLACED.name(), null, 10)) {
            // Noted before it is done: the event may be delivered again before the next line.
            shop.journal().replayed(dead.eventId(), String.valueOf(dead.aggregateId()));
            replayed += shop.deadEvents().replay(dead.eventId()) ? 1 : 0;
        }
        return replayed;
    }
}
