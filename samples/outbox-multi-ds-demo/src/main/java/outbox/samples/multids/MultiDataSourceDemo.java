package outbox.samples.multids;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.LogManager;
import outbox.EventEnvelope;

/**
 * Orders and inventory, each with a database and an outbox of its own. An order's event makes the inventory reserve stock, in a
 * transaction of the inventory's database with an event of its own: one step after the other instead of one transaction over two
 * databases.
 */
public final class MultiDataSourceDemo {

    private static final int ORDERS = 20;
    private static final String ROLLED_BACK_ORDER = "cancelled-1";
    private static final String COMMITTED_ORDER = "kept-1";
    private static final String ROLLED_BACK_RESERVATION = "sold-out-1";
    private static final String COMMITTED_RESERVATION = "by-phone-1";

    private static final String RESERVATIONS = "SELECT COUNT(*) FROM reservations WHERE order_id = ?";
    private static final String NOTICES = "SELECT COUNT(*) FROM notices WHERE order_id = ?";
    private static final String ORDER_TABLE = "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)";
    private static final String RESERVATION_TABLE =
            "CREATE TABLE reservations (order_id VARCHAR(40) PRIMARY KEY, pieces INT NOT NULL)";
    private static final String NOTICE_TABLE = "CREATE TABLE notices (order_id VARCHAR(40) PRIMARY KEY)";

    private final Report report;
    private final Department orders;
    private final Department inventory;

    private MultiDataSourceDemo(Report report, Department orders, Department inventory) {
        this.report = report;
        this.orders = orders;
        this.inventory = inventory;
    }

    /** Runs the demo; exit code 1 if a promise was broken, 2 if there are arguments. */
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            System.err.println("Unknown arguments: " + String.join(" ", args) + "; this demo takes none");
            System.exit(2);
        }
        LogManager.getLogManager().getLogger("").setLevel(Level.SEVERE);
        System.exit(run(System.out));
    }

    static int run(PrintStream out) throws Exception {
        out.println("Two databases, two outboxes, one application.");
        Report report = new Report(out);
        try (Department orders = Department.open("orders", ORDER_TABLE);
                Department inventory = Department.open("inventory", RESERVATION_TABLE, NOTICE_TABLE)) {
            MultiDataSourceDemo demo = new MultiDataSourceDemo(report, orders, inventory);
            demo.work();
            demo.count();
        }
        return report.conclude() == 0 ? 0 : 1;
    }

    private void work() throws Exception {
        orders.on("OrderPlaced", this::reserve);
        inventory.on("StockReserved", this::notice);
        placeOrders();
        rollBackOrderAndCommitReservation();
        commitOrderAndRollBackReservation();
        orders.awaitDone(ORDERS + 1);
        inventory.awaitDone(ORDERS + 2);
        // Delivers all that is queued: what has not happened afterwards never will.
        orders.stop();
        inventory.stop();
    }

    private void placeOrders() throws Exception {
        for (int i = 1; i <= ORDERS; i++) {
            String orderId = "order-" + i;
            orders.transact(transaction -> place(transaction, orderId));
        }
    }

    /** Both transactions are under way on the same thread. */
    private void rollBackOrderAndCommitReservation() throws Exception {
        try (Department.Transaction order = orders.begin();
                Department.Transaction stock = inventory.begin()) {
            place(order, ROLLED_BACK_ORDER);
            reserve(stock, COMMITTED_RESERVATION);
            stock.commit();
        }
    }

    private void commitOrderAndRollBackReservation() throws Exception {
        try (Department.Transaction order = orders.begin();
                Department.Transaction stock = inventory.begin()) {
            place(order, COMMITTED_ORDER);
            reserve(stock, ROLLED_BACK_RESERVATION);
            order.commit();
        }
    }

    /** The orders' listener works in the inventory's database. Reserving twice for the same order changes nothing. */
    private void reserve(EventEnvelope event) throws Exception {
        String orderId = Objects.requireNonNull(event.aggregateId());
        if (inventory.count(RESERVATIONS, orderId) > 0) {
            return;
        }
        inventory.transact(transaction -> reserve(transaction, orderId));
    }

    private static void reserve(Department.Transaction transaction, String orderId) throws SQLException {
        transaction.update("INSERT INTO reservations VALUES (?, 1)", orderId);
        transaction.publish(event("StockReserved", orderId));
    }

    /** The inventory's listener; the key makes a repeated delivery harmless. */
    private void notice(EventEnvelope event) throws Exception {
        String orderId = Objects.requireNonNull(event.aggregateId());
        inventory.transact(transaction -> transaction.update("MERGE INTO notices KEY (order_id) VALUES (?)", orderId));
    }

    private static void place(Department.Transaction transaction, String orderId) throws SQLException {
        transaction.update("INSERT INTO orders VALUES (?)", orderId);
        transaction.publish(event("OrderPlaced", orderId));
    }

    private void count() throws SQLException {
        report.heading("Each database keeps its own events");
        report.expect(ORDERS, orders.count("SELECT COUNT(*) FROM orders WHERE id LIKE 'order-%'"), "orders placed");
        report.expect(
                ORDERS,
                inventory.count("SELECT COUNT(*) FROM reservations WHERE order_id LIKE 'order-%'"),
                "reservations made by their events");
        expectOnly(orders, "OrderPlaced", ORDERS + 1);
        expectOnly(inventory, "StockReserved", ORDERS + 2);

        report.heading("An order rolls back while a reservation commits, on the same thread");
        expectTraces(0, "order", orders, "SELECT COUNT(*) FROM orders WHERE id = ?", ROLLED_BACK_ORDER);
        expectTraces(1, "reservation", inventory, RESERVATIONS, COMMITTED_RESERVATION);
        report.expect(0, inventory.count(RESERVATIONS, ROLLED_BACK_ORDER), "deliveries of the order");

        report.heading("An order commits while a reservation rolls back, on the same thread");
        expectTraces(1, "order", orders, "SELECT COUNT(*) FROM orders WHERE id = ?", COMMITTED_ORDER);
        expectTraces(0, "reservation", inventory, RESERVATIONS, ROLLED_BACK_RESERVATION);
        report.expect(0, inventory.count(NOTICES, ROLLED_BACK_RESERVATION), "deliveries of the reservation");
    }

    private void expectOnly(Department department, String eventType, int events) throws SQLException {
        String table = department.outbox();
        report.expect(
                events,
                department.count("SELECT COUNT(*) FROM " + table + " WHERE event_type = ? AND status = 1", eventType),
                table + ": events " + eventType + ", all DONE");
        report.expect(
                0,
                department.count("SELECT COUNT(*) FROM " + table + " WHERE event_type <> ? OR status <> 1", eventType),
                table + ": anything else");
    }

    private void expectTraces(int expected, String what, Department department, String countRows, String id)
            throws SQLException {
        report.expect(expected, department.count(countRows, id), "rows of the " + what);
        String countEvents = "SELECT COUNT(*) FROM " + department.outbox() + " WHERE aggregate_id = ?";
        report.expect(expected, department.count(countEvents, id), "events of the " + what);
    }

    private static EventEnvelope event(String type, String orderId) {
        return EventEnvelope.builder(type)
                .aggregateId(orderId)
                .payloadJson("{}")
                .build();
    }
}
