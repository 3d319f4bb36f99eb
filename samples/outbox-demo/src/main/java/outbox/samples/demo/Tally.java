package outbox.samples.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the tables of one database say, all of it counted by them.
 *
 * @param committed orders in the shop's table
 * @param delivered of these, how many reached the warehouse
 * @param retried events that failed at least once and were delivered later
 * @param replayed events that were DEAD, were replayed and then delivered
 * @param twice deliveries beyond the first of the same event
 * @param lost committed orders without an event or without a delivery
 * @param ghosts events and deliveries without a committed order
 * @param open events that are not DONE
 */
record Tally(
        long committed, long delivered, long retried, long replayed, long twice, long lost, long ghosts, long open) {

    static final Tally NOTHING = new Tally(0, 0, 0, 0, 0, 0, 0, 0);

    private static final String DELIVERED = "(SELECT order_id FROM delivery_journal WHERE outcome = 'DELIVERED')";
    private static final String RECORDED = "(SELECT aggregate_id FROM outbox_event)";
    private static final String COMMITTED = "(SELECT id FROM orders)";
    private static final String DELIVERED_AFTER = """
            SELECT COUNT(DISTINCT first.event_id) FROM delivery_journal first
            JOIN delivery_journal later ON later.event_id = first.event_id AND later.id > first.id
            WHERE later.outcome = 'DELIVERED' AND first.outcome = ?
            """;

    static Tally of(Database database) throws SQLException {
        return new Tally(
                database.count("SELECT COUNT(*) FROM orders"),
                database.count("SELECT COUNT(*) FROM orders WHERE id IN " + DELIVERED),
                database.count(DELIVERED_AFTER, "FAILED"),
                database.count(DELIVERED_AFTER, "REPLAYED"),
                database.count("SELECT COUNT(*) - COUNT(DISTINCT event_id) FROM delivery_journal"
                        + " WHERE outcome = 'DELIVERED'"),
                database.count(
                        "SELECT COUNT(*) FROM orders WHERE id NOT IN " + DELIVERED + " OR id NOT IN " + RECORDED),
                database.count("SELECT COUNT(*) FROM outbox_event WHERE aggregate_id NOT IN " + COMMITTED)
                        + database.count("SELECT COUNT(*) FROM delivery_journal WHERE order_id NOT IN " + COMMITTED),
                database.count("SELECT COUNT(*) FROM outbox_event WHERE status <> 1"));
    }

    Tally plus(Tally other) {
        return new Tally(
                committed + other.committed,
                delivered + other.delivered,
                retried + other.retried,
                replayed + other.replayed,
                twice + other.twice,
                lost + other.lost,
                ghosts + other.ghosts,
                open + other.open);
    }

    List<String> brokenPromises() {
        List<String> broken = new ArrayList<>();
        if (lost > 0) {
            broken.add(lost + " committed order(s) without a delivery");
        }
        if (ghosts > 0) {
            broken.add(ghosts + " event(s) or deliveries without a committed order");
        }
        if (open > 0) {
            broken.add(open + " event(s) not DONE at the end");
        }
        return broken;
    }
}
