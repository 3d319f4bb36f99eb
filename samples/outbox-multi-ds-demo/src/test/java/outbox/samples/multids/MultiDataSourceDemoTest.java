package outbox.samples.multids;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(30)
class MultiDataSourceDemoTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Test
    void two_outboxes_in_one_application_do_not_touch_each_other() throws Exception {
        int exitCode = MultiDataSourceDemo.run(out);

        assertThat(text())
                .contains("orders_outbox: events OrderPlaced", "inventory_outbox: events StockReserved")
                .contains("All promises kept.")
                .doesNotContain("BROKEN");
        assertThat(exitCode).isZero();
    }

    @Test
    void a_number_that_is_not_as_promised_counts_as_broken() {
        Report report = new Report(out);
        report.expect(2, 2, "orders");
        report.expect(0, 1, "ghosts");

        assertThat(report.conclude()).isEqualTo(1);
        assertThat(text()).contains("BROKEN, promised 0", "1 promise(s) broken.");
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
