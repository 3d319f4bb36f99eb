package outbox.samples.demo;

import outbox.samples.demo.DispatchCounts.Kind;

/** An order whose payment is declined after the event was written leaves no trace. */
final class RollbackLeavesNothing implements Chapter {

    private static final String DECLINED = "declined-1";

    private static final class PaymentDeclined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @Override
    public String name() {
        return "rollback";
    }

    @Override
    public String title() {
        return "A rollback leaves nothing";
    }

    @Override
    public void play(Stage stage) throws Exception {
        Database database = stage.database();
        Printout out = stage.out();
        // Closing the shop delivers what is queued, so what is not in the journal afterwards never will be.
        try (Shop shop = Shop.open(database, Shop.Settings.USUAL, event -> {})) {
            sellWithoutMoney(shop, out);
            shop.sell(Order.of("paid-1"));
            shop.counts().await(Kind.DONE, 1);
        }
        long orders = database.count("SELECT COUNT(*) FROM orders WHERE id = ?", DECLINED);
        long events = database.count("SELECT COUNT(*) FROM outbox_event WHERE aggregate_id = ?", DECLINED);
        long deliveries = database.count("SELECT COUNT(*) FROM delivery_journal WHERE order_id = ?", DECLINED);
        out.line("left of it: %d orders, %d events, %d deliveries", orders, events, deliveries);
        out.line(
                "the next customer pays: %d order delivered", Tally.of(database).delivered());
        BrokenPromise.unlessEqual(0, orders + events + deliveries, "traces of the declined order");
    }

    private static void sellWithoutMoney(Shop shop, Printout out) throws Exception {
        try {
            shop.sell(Order.of(DECLINED), () -> {
                out.line("order and event are written, then the payment is declined: rollback");
                throw new PaymentDeclined();
            });
            throw new BrokenPromise("the declined order was sold");
        } catch (PaymentDeclined expected) {
            // Its transaction was rolled back when it was closed.
        }
    }
}
