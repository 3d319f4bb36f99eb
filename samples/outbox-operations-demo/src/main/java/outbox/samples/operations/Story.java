package outbox.samples.operations;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import outbox.Outbox;
import outbox.config.OutboxSwitches;
import outbox.domain.OutboxRelayService;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.store.H2OutboxStore;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.util.JsonCodec;

/** The chapters of the demo. One process takes orders, two may deliver, and a partner is told by HTTP. */
final class Story implements AutoCloseable {

    private static final int HALF = 20;
    private static final int ALL = 2 * HALF;
    /** The first of the second half. */
    private static final String FATEFUL = order(HALF + 1);

    private static final Map<String, String> RELAY_SWITCHES = new TreeMap<>(Map.of(
            OutboxSwitches.RELAY_POLL_INTERVAL, "100ms",
            OutboxSwitches.RELAY_LOCK_TTL, "2s",
            OutboxSwitches.RELAY_MAX_ATTEMPTS, "2",
            OutboxSwitches.CLEANER_ENABLED, "false"));
    private static final Map<String, String> CLEANER_SWITCHES =
            new TreeMap<>(Map.of(OutboxSwitches.RELAY_ENABLED, "false", OutboxSwitches.CLEANER_RETENTION, "500ms"));

    private final Report report;
    private final SharedDatabase database;
    private final Numbers numbers = new Numbers();
    private final Deliveries deliveries = new Deliveries();
    private final List<Relay> relays = new ArrayList<>();
    private final Shop shop;
    private final MicrometerMetricsExporter partnerMetrics = new MicrometerMetricsExporter(
            numbers.registry(), "partner.outbox", SharedDatabase.PARTNER_OUTBOX.toString());

    Story(Report report, SharedDatabase database) {
        this.report = report;
        this.database = database;
        this.shop = Shop.open(database, numbers.registry());
    }

    /** Tells the chapters; what the relays log goes to files in the directory. */
    void tell(Path logs) throws Exception {
        Relay active = startRelays(logs);
        Relay standby = relays.get(0) == active ? relays.get(1) : relays.get(0);
        standbyTakesOver(active, standby);
        chargedOnce();
        partnerIsTold();
        doneEventsGo();
        numbersTellIt(standby);
    }

    /** Returns the relay that is active. */
    private Relay startRelays(Path logs) throws Exception {
        report.chapter("Two processes may deliver, and one of them does");
        report.tell("this process takes orders:  %s", described(Shop.SWITCHES));
        report.tell("two more have:              %s", described(RELAY_SWITCHES));
        start("relay-1", logs);
        start("relay-2", logs);
        for (Relay relay : relays) {
            relay.awaitReady();
        }
        placeOrders(1, HALF);
        Patience.until("the first orders are delivered", () -> deliveries.orders() == HALF);
        Relay active = deliveries.by(relays.get(0)) > 0 ? relays.get(0) : relays.get(1);
        for (Relay relay : relays) {
            report.promise(relay == active ? HALF : 0, deliveries.by(relay), "delivered by " + relay.name());
        }
        shop.place(Billing.UNPAYABLE);
        return active;
    }

    private void standbyTakesOver(Relay active, Relay standby) throws Exception {
        report.chapter("The active process is killed, and the other one takes over");
        placeOrders(HALF + 1, ALL);
        Patience.until(FATEFUL + " is charged", () -> deliveries.of(FATEFUL) == 1);
        active.kill();
        long killed = System.nanoTime();
        report.tell("%s is killed: it has just charged %s, and its outbox does not know yet", active.name(), FATEFUL);
        Patience.until("the gauge knows what waits", () -> gauge("outbox.pending.count") == database.events("0, 2"));
        report.tell("events that wait, by the gauge outbox.pending.count: %d", gauge("outbox.pending.count"));
        Patience.until(standby.name() + " delivers", () -> deliveries.by(standby) > 0);
        report.tell("%s is active %.1f s after the kill", standby.name(), (System.nanoTime() - killed) / 1e9);
        Patience.until("all orders are delivered", () -> deliveries.orders() == ALL && deliveries.of(FATEFUL) == 2);
        report.promise(ALL, deliveries.orders(), "orders delivered, by both of them");
    }

    private void chargedOnce() throws Exception {
        report.chapter("What was delivered twice is charged once, because billing has an inbox");
        report.promise(2, deliveries.of(FATEFUL), "deliveries of " + FATEFUL);
        report.promise(1, database.count("SELECT COUNT(*) FROM charges WHERE order_id = ?", FATEFUL), "charges of it");
        report.promise(ALL, database.count("SELECT COUNT(*) FROM charges"), "charges in all");
        report.promise(ALL, invoicesWaiting(), "invoices for the partner, written with the charges");
    }

    private void partnerIsTold() throws Exception {
        report.chapter("The relay service publishes the invoices through a transport, by HTTP");
        try (Partner partner = Partner.open();
                OutboxRelayService relay = OutboxRelayService.builder()
                        .connectionProvider(new DataSourceConnectionProvider(database.dataSource()))
                        .outboxStore(H2OutboxStore.on(SharedDatabase.PARTNER_OUTBOX, JsonCodec.getDefault()))
                        .transport(new HttpTransport(partner.endpoint()))
                        .retryPolicy(attempts -> 0)
                        .metrics(partnerMetrics)
                        .build()) {
            report.promise(ALL - 1, relay.relayOnce(100), "published; the partner answered one with 503");
            report.promise(1, relay.relayOnce(100), "published by the next call");
            report.promise(ALL, partner.invoices(), "different invoices that the partner has");
            report.promise(ALL + 1, partner.requests(), "requests that it took");
        }
    }

    private void doneEventsGo() throws Exception {
        report.chapter("DONE events go when their retention is over, DEAD ones are kept");
        Patience.until(Billing.UNPAYABLE + " is DEAD", () -> database.events("3") == 1 && database.events("0, 2") == 0);
        report.promise(ALL, database.events("1"), "DONE events in the table");
        report.tell("a cleaner starts:  %s", described(CLEANER_SWITCHES));
        try (Outbox cleaner = JdbcOutbox.builder(database.dataSource())
                .switches(OutboxSwitches.from(CLEANER_SWITCHES))
                .purge(purge -> purge.intervalSeconds(1))
                .build()) {
            cleaner.start();
            Patience.until("DONE events are purged", () -> database.events("1") == 0);
        }
        report.promise(0, database.events("1"), "DONE events in the table");
        report.promise(1, database.events("3"), "DEAD events in the table, for a person to look at");
    }

    private void numbersTellIt(Relay relay) throws Exception {
        report.chapter("Micrometer has counted all of it");
        Patience.until(
                "the gauges are up to date",
                () -> gauge("outbox.pending.count") == 0 && gauge("outbox.dead.count") == 1);
        report.tell("this process:");
        numbers.lines().forEach(line -> report.tell("  %s", line));
        report.tell("%s, which is stopped in good order; the killed one took its numbers with it:", relay.name());
        List<String> ofRelay = relay.stop();
        ofRelay.forEach(line -> report.tell("  %s", line));
        report.promise(
                ALL + 1,
                numbers.value("outbox.enqueue", "topic", Shop.ORDER_PLACED),
                "events written, as this process has counted");
        report.promise(
                deliveries.by(relay),
                Numbers.value(ofRelay, "outbox.dispatch{result=success"),
                "events delivered, as " + relay.name() + " has counted");
    }

    private void start(String name, Path logs) throws IOException {
        Map<String, String> environment = new HashMap<>(database.environment());
        environment.putAll(RELAY_SWITCHES);
        relays.add(Relay.start(name, logs, environment, FATEFUL, deliveries));
    }

    private void placeOrders(int first, int last) throws Exception {
        for (int i = first; i <= last; i++) {
            shop.place(order(i));
        }
    }

    private static String order(int number) {
        return "order-" + number;
    }

    private long gauge(String name) {
        return numbers.value(name, "table", "outbox_event");
    }

    private long invoicesWaiting() throws Exception {
        return database.count("SELECT COUNT(*) FROM " + SharedDatabase.PARTNER_OUTBOX + " WHERE status = 0");
    }

    private static String described(Map<String, String> switches) {
        return switches.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    @Override
    public void close() {
        relays.forEach(Relay::close);
        shop.close();
    }
}
