package outbox.boot.shop;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.boot.OutboxPublisher;

/** Business code as a user writes it: a row and an event, together or not at all. */
@Service
public class Orders {

    private final JdbcTemplate jdbc;
    private final OutboxPublisher outbox;

    Orders(JdbcTemplate jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        jdbc.execute("CREATE TABLE IF NOT EXISTS orders (id VARCHAR(50))");
    }

    @Transactional
    public void place(String id) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
        outbox.publish(OrderPlaced.of(id));
    }

    @Transactional
    public void placeAndFail(String id) {
        place(id);
        throw new IllegalStateException("the payment failed");
    }

    @Transactional(readOnly = true)
    public void placeReadOnly(String id) {
        outbox.publish(OrderPlaced.of(id));
    }
}
