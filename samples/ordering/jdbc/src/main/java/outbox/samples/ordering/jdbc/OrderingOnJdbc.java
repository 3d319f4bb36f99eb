package outbox.samples.ordering.jdbc;

import java.math.BigDecimal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.OrderRefusedException;

/** Places, refuses and pays an order, and prints what the listener is told. */
public final class OrderingOnJdbc {

    private OrderingOnJdbc() {}

    /** Runs the sample. */
    public static void main(String[] args) throws Exception {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:ordering;DB_CLOSE_DELAY=-1", "sa", "");
        Tables.create(pool);
        CountDownLatch told = new CountDownLatch(2);
        try (Shop shop = new Shop(pool, news -> {
            System.out.println("listener: " + news);
            told.countDown();
        })) {
            shop.open();
            String orderId = shop.place("Ann", new OrderLine("pen", 3, new BigDecimal("1.20")));
            try {
                shop.pay(orderId, BigDecimal.ONE);
            } catch (OrderRefusedException e) {
                System.out.println("refused:  " + e.getMessage());
            }
            shop.pay(orderId, new BigDecimal("3.60"));
            if (!told.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The listener was not told within ten seconds");
            }
        } finally {
            pool.dispose();
        }
    }
}
