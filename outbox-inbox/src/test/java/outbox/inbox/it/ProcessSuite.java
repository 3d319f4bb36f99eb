package outbox.inbox.it;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.EventEnvelope;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.ConsumeStatus;
import outbox.inbox.it.ConsumerProgram.Point;
import outbox.inbox.it.ConsumerProgram.Way;
import outbox.testservers.ChildJvm;

import static org.assertj.core.api.Assertions.assertThat;

/** Consumers in processes of their own, which are killed. */
@Timeout(600)
abstract class ProcessSuite {

    private static final int EVENTS = 4;
    private static final int COPIES_EACH = 500;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path logs;

    private InboxFixture inbox;

    abstract TestedDatabase database();

    @BeforeEach
    void open() {
        inbox = new InboxFixture(database().pool());
    }

    private ChildJvm start(String name) throws Exception {
        TestedDatabase.Address address = database().address();
        return ChildJvm.start(
                ConsumerProgram.class,
                List.of(address.url(), address.user(), address.password()),
                logs.resolve(name + ".log"));
    }

    @ParameterizedTest
    @EnumSource
    void two_processes_and_a_thousand_copies_of_each_event_have_one_effect_each(Acquisition acquisition)
            throws Exception {
        try (ChildJvm one = start("one");
                ChildJvm two = start("two")) {
            one.await("ready");
            two.await("ready");
            String order = "consume " + inbox.group + " " + acquisition + " " + EVENTS + " " + COPIES_EACH;
            one.order(order);
            two.order(order);

            int handled = Integer.parseInt(one.await("consumed")) + Integer.parseInt(two.await("consumed"));

            assertThat(handled).isEqualTo(EVENTS);
            assertThat(inbox.effects()).isEqualTo(EVENTS);
            assertThat(Effects.distinct(inbox.pool, inbox.group)).isEqualTo(EVENTS);
        }
    }

    @Test
    void kill_9_at_every_point_between_arrival_and_return_leaves_one_effect_after_recovery() throws Exception {
        List<Standstill> all = new ArrayList<>();
        try (ChildJvm victim = start("victim")) {
            victim.await("ready");
            for (Way way : Way.values()) {
                for (Point point : Point.values()) {
                    if (way.passes(point)) {
                        Standstill one = new Standstill(way, point, way + "-" + point);
                        victim.order("stand " + inbox.group + " " + way + " " + point + " " + one.eventId());
                        victim.await("at " + point);
                        all.add(one);
                    }
                }
            }
            victim.kill();
        }
        for (Standstill one : all) {
            for (EventEnvelope event : one.way().events(one.eventId())) {
                recover(one, event);
                assertThat(inbox.effectsOf(event)).as(event.eventId()).isEqualTo(1);
                assertThat(inbox.record(event).status()).isEqualTo(ConsumeStatus.SUCCEEDED);
            }
        }
        assertThat(inbox.effects())
                .isEqualTo(all.stream()
                        .mapToInt(one -> one.way().events(one.eventId()).size())
                        .sum());
    }

    private record Standstill(Way way, Point point, String eventId) {}

    /** Delivers the event again until it is done. A lease is made to expire; a transaction ends when the database notices the death. */
    private void recover(Standstill one, EventEnvelope event) throws InterruptedException {
        ConsumeOptions options = one.way() == Way.LEASE ? ConsumeOptions.defaults() : ConsumeOptions.inOneTransaction();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        ConsumeResult result = inbox.template.consume(inbox.group, event, inbox.effect(), options);
        while (!result.done()) {
            assertThat(System.nanoTime()).as("time left for " + one).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20); // the database has no signal for the end of another's session
            inbox.letTimePass(event);
            result = inbox.template.consume(inbox.group, event, inbox.effect(), options);
        }
        assertThat(result.replayed()).as("replayed " + one).isEqualTo(one.point() == Point.COMMITTED);
    }
}
