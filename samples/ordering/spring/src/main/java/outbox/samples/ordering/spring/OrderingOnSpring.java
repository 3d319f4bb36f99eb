package outbox.samples.ordering.spring;

import java.math.BigDecimal;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.samples.ordering.domain.OrderLine;
import outbox.samples.ordering.domain.OrderRefusedException;

/** Places, refuses and pays an order, and prints what the listener is told. */
@SpringBootApplication
public class OrderingOnSpring {

    /** Runs the sample. */
    public static void main(String[] args) throws InterruptedException {
        try (ConfigurableApplicationContext context = SpringApplication.run(OrderingOnSpring.class, args)) {
            OrderService orders = context.getBean(OrderService.class);
            String orderId = orders.place("Ann", List.of(new OrderLine("pen", 3, new BigDecimal("1.20"))));
            try {
                orders.pay(orderId, BigDecimal.ONE);
            } catch (OrderRefusedException e) {
                System.out.println("refused:  " + e.getMessage());
            }
            orders.pay(orderId, new BigDecimal("3.60"));
            context.getBean(PrintedNews.class).awaitLines(2);
        }
    }
}
