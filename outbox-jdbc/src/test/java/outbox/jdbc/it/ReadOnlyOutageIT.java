package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.jdbc.TableName;
import outbox.jdbc.it.Signals.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** A database that answers and does not write is one that is away: outcomes wait for it, and nothing is delivered twice. */
@Timeout(180)
class ReadOnlyOutageIT {

    private static final int EVENTS = 10;

    /** For longer than it takes to insist on an outcome that is refused. */
    private static final Duration OUTAGE = Duration.ofSeconds(9);

    private final Map<String, Integer> delivered = new ConcurrentHashMap<>();
    private final CountDownLatch busy = new CountDownLatch(2);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch repeated = new CountDownLatch(1);

    private void deliver(EventEnvelope event) throws InterruptedException {
        busy.countDown();
        goOn.await();
        if (delivered.merge(event.eventId(), 1, Integer::sum) > 1) {
            repeated.countDown();
        }
    }

    private static EventEnvelope[] events(String prefix) {
        return IntStream.range(0, EVENTS)
                .mapToObj(i -> EventEnvelope.builder("Paid")
                        .eventId(prefix + i)
                        .payloadJson("{}")
                        .build())
                .toArray(EventEnvelope[]::new);
    }

    @ParameterizedTest
    @EnumSource
    void what_is_delivered_while_nothing_can_be_written_is_recorded_afterwards_and_never_repeated(
            ReadOnlyServer.Kind kind) throws Exception {
        try (ReadOnlyServer server = new ReadOnlyServer(kind);
                HikariDataSource pool = server.newPool()) {
            TableName plain = server.create("plain_event");
            TableName leased = server.create("leased_event");
            try (Node unleasedNode = new Node(pool, kind.dialect().store(plain));
                    Node leasedNode = new Node(
                            pool,
                            kind.dialect().store(leased),
                            dispatcher -> dispatcher,
                            poller -> poller.claimLocking(Duration.ofMinutes(5)))) {
                for (Node node : List.of(unleasedNode, leasedNode)) {
                    node.listeners.register("Paid", this::deliver);
                    node.poller.start();
                }
                unleasedNode.commit(events("plain-"));
                leasedNode.commit(events("leased-"));
                assertThat(busy.await(60, TimeUnit.SECONDS)).isTrue();

                server.readOnly(true, pool, plain);
                goOn.countDown();
                assertThat(repeated.await(OUTAGE.toSeconds(), TimeUnit.SECONDS)).isFalse();
                assertThat(delivered).hasSize(2 * EVENTS);
                assertThat(unleasedNode.signals.count(Kind.SUCCESS)).isZero();
                assertThat(leasedNode.signals.count(Kind.SUCCESS)).isZero();

                server.readOnly(false, pool, plain);
                unleasedNode.signals.await(Kind.SUCCESS, EVENTS);
                leasedNode.signals.await(Kind.SUCCESS, EVENTS);
                for (TableName table : List.of(plain, leased)) {
                    assertThat(Tables.select(pool, "SELECT COUNT(*) FROM " + table + " WHERE status = 1"))
                            .containsExactly(String.valueOf(EVENTS));
                }
                assertThat(delivered.values()).containsOnly(1);
            }
        }
    }
}
