package outbox.samples.demo;

import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;
import outbox.samples.demo.DispatchCounts.Kind;

/** The warehouse does not answer at first; the event is delivered again until it does. */
final class FlakyListener implements Chapter {

    private static final String ORDER = "unlucky-1";
    private static final int FAILURES = 2;

    @Override
    public String name() {
        return "retry";
    }

    @Override
    public String title() {
        return "A listener that fails is called again";
    }

    @Override
    public void play(Stage stage) throws Exception {
        Database database = stage.database();
        Printout out = stage.out();
        AtomicInteger calls = new AtomicInteger();
        try (Shop shop = Shop.open(database, Shop.Settings.USUAL, event -> warehouse(event, calls))) {
            shop.sell(Order.of(ORDER));
            shop.counts().await(Kind.DONE, 1);
        }
        List<Journal.Entry> entries = new Journal(database).entriesOf(ORDER);
        for (int i = 0; i < entries.size(); i++) {
            out.line("attempt %d: %s", i + 1, describe(entries.get(i)));
        }
        long failed = database.count("SELECT attempts FROM outbox_event WHERE aggregate_id = ?", ORDER);
        out.line("the outbox counted %d failed attempts; the event is DONE", failed);
        BrokenPromise.unlessEqual(FAILURES, failed, "failed attempts in the outbox");
        BrokenPromise.unlessEqual(FAILURES + 1, entries.size(), "calls of the listener");
    }

    private static void warehouse(EventEnvelope event, AtomicInteger calls) throws SocketTimeoutException {
        if (calls.incrementAndGet() <= FAILURES) {
            throw new SocketTimeoutException("the warehouse did not answer about " + Order.idOf(event));
        }
    }

    private static String describe(Journal.Entry entry) {
        return entry.error() == null ? "delivered" : "failed, " + entry.error();
    }
}
