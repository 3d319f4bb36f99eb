package outbox.domain;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.EventEnvelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/** What a relay does of which nothing was said, and what can be said by configuration keys. */
class RelayDefaultsTest {

    private OutboxDatabase h2;

    @BeforeEach
    void createDatabase() throws SQLException {
        h2 = OutboxDatabase.h2();
        write("e1");
    }

    @AfterEach
    void dropDatabase() {
        h2.close();
    }

    private void write(String id) throws SQLException {
        try (var tx = h2.transactions.begin()) {
            h2.writer.write(EventEnvelope.builder("OrderPaid")
                    .eventId(id)
                    .payloadJson("{\"card\":\"4000-1234\"}")
                    .build());
            tx.commit();
        }
    }

    private OutboxRelayService.Builder relay() {
        return OutboxRelayService.builder().connectionProvider(h2.connections).outboxStore(h2.store);
    }

    @Test
    void without_a_transport_events_are_published_to_the_log_without_their_payload() throws SQLException {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(new SimpleFormatter().formatMessage(record));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(LoggingOutboxTransport.class.getName());
        logger.addHandler(handler);
        try (OutboxRelayService relay = relay().build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(lines).singleElement().asString().contains("Published to the log only", "e1", "OrderPaid");
        assertThat(lines.get(0)).doesNotContain("4000");
        assertThat(h2.column("SELECT event_id FROM outbox_event WHERE status = 1"))
                .containsExactly("e1");
        assertThatNullPointerException().isThrownBy(() -> relay().transport(null));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2", "7, 128", "8, 256", "9, 300", "30, 300"})
    void a_failed_event_waits_from_one_second_doubling_to_five_minutes(int failedBefore, long seconds)
            throws SQLException {
        try (var conn = h2.dataSource.getConnection()) {
            OutboxDatabase.execute(conn, "UPDATE outbox_event SET attempts = " + failedBefore);
        }
        Instant before = Instant.now();
        try (OutboxRelayService relay = failing().maxAttempts(100).build()) {
            relay.relayOnce(1);
        }
        Instant after = Instant.now();

        // The policy varies each delay by half of it, and never beyond the longest.
        assertThat(isDue(after.plusSeconds(seconds * 3 / 2 + 1))).isTrue();
        assertThat(isDue(before.plusMillis(seconds * 500 - 10))).isFalse();
        assertThat(isDue(after.plusSeconds(301))).isTrue();
    }

    private OutboxRelayService.Builder failing() {
        return relay().transport(event -> {
            throw new IllegalStateException("down");
        });
    }

    private boolean isDue(Instant when) throws SQLException {
        try (var conn = h2.dataSource.getConnection()) {
            return !h2.store.pollPending(conn, when, Duration.ZERO, 1).isEmpty();
        }
    }

    @Test
    void a_transport_can_see_how_often_an_event_has_failed() throws SQLException {
        List<Integer> seen = new ArrayList<>();
        OutboxTransport transport = new OutboxTransport() {
            @Override
            public void publish(EventEnvelope event) {
                throw new AssertionError("without attempts");
            }

            @Override
            public void publish(EventEnvelope event, int attempts) {
                seen.add(attempts);
                if (attempts < 2) {
                    throw new IllegalStateException("not yet");
                }
            }
        };
        try (OutboxRelayService relay =
                relay().transport(transport).retryPolicy(attempts -> 0).build()) {
            relay.relayOnce(1);
            relay.relayOnce(1);
            assertThat(relay.relayOnce(1)).isEqualTo(1);
        }

        assertThat(seen).containsExactly(0, 1, 2);
    }

    @Test
    void the_worker_is_named_in_its_leases() throws SQLException {
        assertThat(ownerWith(relay())).startsWith("local:");
        write("e2");
        assertThat(ownerWith(relay().workerId("relay-3"))).startsWith("relay-3:");
        write("e3");
        String longest = "w".repeat(48);
        assertThat(ownerWith(relay().workerId(longest)))
                .startsWith(longest + ":")
                .hasSizeLessThanOrEqualTo(128);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay().workerId(" "))
                .withMessage("workerId must have 1 to 48 characters, was \" \"");
        assertThatIllegalArgumentException().isThrownBy(() -> relay().workerId("w".repeat(49)));
        assertThatIllegalArgumentException().isThrownBy(() -> relay().workerId("w\0"));
    }

    private String ownerWith(OutboxRelayService.Builder builder) throws SQLException {
        List<String> owners = new ArrayList<>();
        try (OutboxRelayService relay = builder.transport(event -> owners.addAll(
                        h2.column("SELECT locked_by FROM outbox_event WHERE event_id = '" + event.eventId() + "'")))
                .build()) {
            relay.relayOnce(1);
        }
        return owners.get(0);
    }

    @Test
    void settings_come_from_configuration_keys_with_any_prefix() throws SQLException {
        Map<String, String> values = Map.of(
                "shop.outbox.relay.fixed-delay-ms", "250",
                "shop.outbox.relay.batch-size", "7",
                "shop.outbox.relay.worker-id", " shop-1 ",
                "shop.outbox.relay.lease-seconds", "90",
                "shop.other", "x");
        OutboxRelayService.Builder builder = relay().configuration(values, "shop.outbox");

        assertThat(builder.toString())
                .isEqualTo("OutboxRelayService.Builder[interval=PT0.25S, batchSize=7, workerId=shop-1, lease=PT1M30S]");
        assertThat(ownerWith(builder)).startsWith("shop-1:");
        assertThat(relay().configuration(Map.of("relay.batch-size", " "), "").toString())
                .as("blank is not set")
                .isEqualTo("OutboxRelayService.Builder[interval=PT1S, batchSize=100, workerId=local, lease=PT30S]");
    }

    @Test
    void a_value_that_makes_no_sense_or_a_misspelt_key_is_named() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay().configuration(Map.of("a.relay.batch-size", "0"), "a."))
                .withMessage(
                        "Configuration key a.relay.batch-size must be a whole number from 1 to 2147483647, was \"0\":"
                                + " correct it, or remove it to use the default");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay().configuration(Map.of("relay.lease-seconds", "30s"), ""))
                .withMessageContaining("relay.lease-seconds must be a whole number");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay().configuration(Map.of("a.relay.batchsize", "5"), "a"))
                .withMessage(
                        "Configuration key a.relay.batchsize is unknown; the known ones are [relay.batch-size,"
                                + " relay.fixed-delay-ms, relay.lease-seconds, relay.worker-id], each after a.: correct or remove it");
    }
}
