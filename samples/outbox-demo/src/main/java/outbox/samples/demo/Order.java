package outbox.samples.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventType;
import outbox.StringAggregateType;
import outbox.StringEventType;
import outbox.jdbc.JdbcTemplate;
import outbox.util.JsonCodec;

/** What a customer bought. */
record Order(String id, String item, int quantity, int totalCents) {

    static final AggregateType AGGREGATE = StringAggregateType.of("Order");
    static final EventType PLACED = StringEventType.of("OrderPlaced");

    private static final JsonCodec JSON = JsonCodec.getDefault();

    static Order of(String id) {
        return new Order(id, "teapot", 1, 2490);
    }

    void insert(Connection conn) throws SQLException {
        JdbcTemplate.update(conn, "INSERT INTO orders VALUES (?, ?, ?, ?)", id, item, quantity, totalCents);
    }

    EventEnvelope placed() {
        Map<String, @Nullable String> payload = new LinkedHashMap<>();
        payload.put("item", item);
        payload.put("quantity", Integer.toString(quantity));
        payload.put("totalCents", Integer.toString(totalCents));
        return EventEnvelope.builder(PLACED)
                .aggregateType(AGGREGATE)
                .aggregateId(id)
                .payloadJson(JSON.toJson(payload))
                .build();
    }

    static Order from(EventEnvelope event) {
        Map<String, @Nullable String> payload = JSON.parseObject(event.payloadJson());
        return new Order(
                idOf(event),
                Objects.requireNonNull(payload.get("item")),
                Integer.parseInt(Objects.requireNonNull(payload.get("quantity"))),
                Integer.parseInt(Objects.requireNonNull(payload.get("totalCents"))));
    }

    static String idOf(EventEnvelope event) {
        return Objects.requireNonNull(event.aggregateId());
    }
}
