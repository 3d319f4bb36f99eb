package outbox.samples.operations;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(120)
class OperationsDemoTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void the_demo_keeps_its_promises_with_a_process_that_is_really_killed() throws Exception {
        int exitCode = OperationsDemo.run(out);

        assertThat(text())
                .contains("is killed: it has just charged order-21", "is active", "All promises kept")
                .contains("outbox.enqueue{table=outbox_event, topic=OrderPlaced} 41")
                .contains("outbox.dispatch{result=success, table=partner_outbox, topic=InvoiceIssued} 40")
                .contains("outbox.dead.count{table=outbox_event} 1", "outbox.pending.count{table=outbox_event} 0")
                .contains("outbox.creation.to.listener{table=outbox_event, topic=OrderPlaced}")
                .doesNotContain("BROKEN");
        assertThat(exitCode).isZero();
    }

    @Test
    void a_number_that_is_not_as_promised_ends_with_1_and_tells_where_the_logs_are() throws Exception {
        int exitCode = OperationsDemo.run(out, (report, logs) -> {
            report.promise(2, 2, "orders");
            report.promise(0, 1, "ghosts");
        });

        assertThat(exitCode).isEqualTo(1);
        assertThat(text()).contains("BROKEN, promised 0", "1 promise(s) broken.");
        String marker = "have logged is in ";
        Files.delete(Path.of(
                text().substring(text().indexOf(marker) + marker.length()).strip()));
    }

    @Test
    void a_story_that_fails_ends_with_1() throws Exception {
        int exitCode = OperationsDemo.run(out, (report, logs) -> {
            Files.delete(logs);
            throw new BrokenPromise("waited in vain");
        });

        assertThat(exitCode).isEqualTo(1);
        assertThat(text()).contains("BROKEN: waited in vain", "1 promise(s) broken.");
    }

    @Test
    void a_relay_that_cannot_start_is_found_out_at_once() throws Exception {
        try (Relay relay = Relay.start("homeless", directory, Map.of(), "order-1", new Deliveries())) {
            assertThatExceptionOfType(BrokenPromise.class)
                    .isThrownBy(relay::awaitReady)
                    .withMessageStartingWith("homeless did not start");
        }
        assertThat(directory.resolve("homeless.log")).content().contains("DEMO_DATABASE_URL is not set");
    }

    @Test
    void database_and_partner_listen_on_the_loopback_address_only() throws Exception {
        try (SharedDatabase database = SharedDatabase.open();
                Partner partner = Partner.open()) {
            int databasePort = portOf(database.environment().values());
            assertThat(accepts(InetAddress.getLoopbackAddress(), databasePort)).isTrue();
            for (InetAddress address : otherAddresses()) {
                assertThat(accepts(address, databasePort))
                        .as("database on %s", address)
                        .isFalse();
                assertThat(accepts(address, partner.endpoint().getPort()))
                        .as("partner on %s", address)
                        .isFalse();
            }
        }
    }

    private static int portOf(Iterable<String> environment) {
        for (String value : environment) {
            if (value.startsWith("jdbc:h2:")) {
                return URI.create(value.substring("jdbc:h2:".length())).getPort();
            }
        }
        throw new AssertionError("no URL in the environment");
    }

    private static List<InetAddress> otherAddresses() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList();
    }

    private static boolean accepts(InetAddress address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 2_000);
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }
}
