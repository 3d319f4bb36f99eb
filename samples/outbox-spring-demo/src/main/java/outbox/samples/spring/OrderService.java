package outbox.samples.spring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventType;
import outbox.OutboxWriter;
import outbox.StringAggregateType;
import outbox.StringEventType;

/** Places orders: the row and the event are committed together or not at all. */
@Service
class OrderService {

    static final AggregateType AGGREGATE = StringAggregateType.of("Order");
    static final EventType PLACED = StringEventType.of("OrderPlaced");

    /** An order that has been placed. */
    record Order(String id, String customer, BigDecimal amount) {}

    private final JdbcClient jdbc;
    private final OutboxWriter outbox;
    private final ObjectMapper json;

    OrderService(JdbcClient jdbc, OutboxWriter outbox, ObjectMapper json) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.json = json;
    }

    /** Writes the order and its event, then takes the money; if that fails, neither is left. */
    @Transactional
    public Order place(NewOrder wish) {
        Order order = new Order(UUID.randomUUID().toString(), wish.validCustomer(), wish.validAmount());
        jdbc.sql("INSERT INTO orders (id, customer, amount) VALUES (?, ?, ?)")
                .params(order.id, order.customer, order.amount)
                .update();
        outbox.write(placed(order));
        charge(order);
        return order;
    }

    @Transactional(readOnly = true)
    public List<Order> all() {
        return jdbc.sql("SELECT id, customer, amount FROM orders ORDER BY customer, id")
                .query(Order.class)
                .list();
    }

    private EventEnvelope placed(Order order) {
        return EventEnvelope.builder(PLACED)
                .aggregateType(AGGREGATE)
                .aggregateId(order.id)
                .payloadJson(toJson(order))
                .build();
    }

    private String toJson(Order order) {
        try {
            return json.writeValueAsString(order);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Cannot write order " + order.id + " as JSON", e);
        }
    }

    /** Stands for a payment service that has a say after everything was written. */
    private static void charge(Order order) {
        if (order.amount.signum() == 0) {
            throw new InvalidInputException("amount", "must be greater than 0", order.amount);
        }
    }
}
