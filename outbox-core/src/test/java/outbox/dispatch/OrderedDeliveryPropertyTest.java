package outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.outcome.Verdict;
import outbox.internal.queue.Lanes;
import outbox.model.EventStatus;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.testsupport.KeyedEvents;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.OrderedTable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever happens in whatever order, in one process or two on one table: no event is delivered before an earlier one of its key has
 * ended, none is lost, and nothing stays behind. A scenario that fails names its seed; {@code -Doutbox.test.seed} runs it alone.
 */
class OrderedDeliveryPropertyTest {

    private static final int SCENARIOS = 2_500;
    private static final int STEPS = 120;
    private static final int KEYS = 4;
    private static final int MILLION = 1_000_000;

    private static final QueuedEvent HEAD = KeyedEvents.coldOf("any", "head");
    private static final QueuedEvent FOLLOWER = KeyedEvents.coldOf("any", "follower");

    private final Logger library = Logger.getLogger("outbox");

    @BeforeEach
    void silenceTheLog() {
        library.setLevel(Level.OFF);
    }

    @AfterEach
    void letTheLogSpeak() {
        library.setLevel(null);
    }

    @Test
    void events_of_a_key_never_overtake_each_other_and_none_is_lost_in_any_interleaving() {
        Long only = Long.getLong("outbox.test.seed");
        long first = only == null ? System.nanoTime() : only;
        int scenarios = only == null ? SCENARIOS : 1;
        for (long seed = first; seed != first + scenarios; seed++) {
            try {
                new Scenario(seed).play();
            } catch (Throwable e) {
                throw new AssertionError("Scenario failed; run it alone with -Doutbox.test.seed=" + seed, e);
            }
        }
    }

    @Test
    void a_million_keys_leave_nothing_behind() {
        Lanes<AggregateKey, QueuedEvent> lanes = new OrderedParts().queues.lanes();
        for (int i = 0; i < MILLION; i++) {
            AggregateKey key = new AggregateKey(KeyedEvents.AGGREGATE_TYPE, "key-" + i);
            lanes.join(key, HEAD, List.of(), id -> false);
            lanes.join(key, FOLLOWER, List.of("head"), id -> false);
            if (i % 2 == 0) {
                lanes.advance(key, "head");
                lanes.advance(key, "follower");
            } else {
                lanes.breakUp(key, "head");
            }
        }

        assertThat(lanes.size()).isZero();
        assertThat(lanes.waiting(false)).isZero();
    }

    /** One course of events, all of it decided by its seed. */
    private static final class Scenario {

        private final Random random;
        private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
        private final ManualNanos nanos = new ManualNanos();
        private final OrderedTable table = new OrderedTable(clock);
        private final List<SimulatedNode> nodes = new ArrayList<>();
        private int started;
        private int events;

        private Scenario(long seed) {
            random = new Random(seed);
            int size = 1 + random.nextInt(2);
            for (int i = 0; i < size; i++) {
                startNode();
            }
        }

        private void startNode() {
            started++;
            nodes.add(new SimulatedNode("node-" + started, table, clock, nanos, 2 + random.nextInt(4)));
        }

        private void play() throws InterruptedException {
            for (int i = 0; i < STEPS; i++) {
                step(nodes.get(random.nextInt(nodes.size())));
                nodes.forEach(SimulatedNode::check);
            }
            comeToAnEnd();
            assertThat(table.ids()).noneMatch(table::isUnfinished).allMatch(id -> table.lockedBy(id) == null);
            nodes.forEach(SimulatedNode::checkNothingIsLeft);
        }

        private void step(SimulatedNode node) throws InterruptedException {
            switch (random.nextInt(24)) {
                case 0, 1, 2 -> write(node);
                case 3, 4 -> node.tellCommitted(random);
                case 5, 6, 7 -> node.poll();
                case 8, 9, 10 -> node.take();
                case 11, 12, 13 -> node.begin(random);
                case 14, 15, 16 -> node.end(random, outcome());
                case 17, 18 -> node.writeOutcome(random);
                case 19, 20 -> node.reportOutcome(random);
                case 21 -> changeTheTable();
                case 22 -> letTimePass();
                default -> mishap(node);
            }
        }

        private void write(SimulatedNode node) {
            if (!node.isClosed()) {
                List<EventEnvelope> batch = IntStream.rangeClosed(0, random.nextInt(3))
                        .mapToObj(i -> KeyedEvents.keyed("e" + events++, "key-" + random.nextInt(KEYS)))
                        .toList();
                node.write(batch, random.nextInt(8) == 0);
            }
        }

        private Verdict outcome() {
            return switch (random.nextInt(10)) {
                case 0 -> null;
                case 1, 2 -> retry(Duration.ZERO);
                case 3 -> retry(Duration.ofSeconds(1));
                case 4 -> new Verdict.Dead("no", false);
                case 5 -> new Verdict.Dead("no", true);
                default -> Verdict.DONE;
            };
        }

        private static Verdict retry(Duration delay) {
            return new Verdict.Retry(Instant.EPOCH, delay, "not yet");
        }

        private void changeTheTable() {
            switch (random.nextInt(3)) {
                case 0 -> table.forgetTurns(true);
                case 1 -> table.forgetTurns(false);
                default -> letKeysGo();
            }
        }

        private void letKeysGo() {
            table.ids().stream()
                    .filter(id -> table.status(id) == EventStatus.DEAD)
                    .forEach(id -> table.ordered().letKeyGo(null, id));
        }

        private void letTimePass() {
            boolean leasesExpire = random.nextInt(4) == 0;
            Duration time = leasesExpire ? SimulatedNode.TIMEOUT.plusSeconds(1) : SimulatedNode.TIMEOUT.dividedBy(3);
            clock.advance(time);
            nanos.advance(time);
            if (!leasesExpire) {
                nodes.forEach(SimulatedNode::renew);
            }
        }

        private void mishap(SimulatedNode node) {
            switch (random.nextInt(4)) {
                case 0 -> close(node);
                case 1, 2 -> node.giveUpOutcome(random);
                default -> node.renew();
            }
        }

        private void close(SimulatedNode node) {
            if (!node.isClosed()) {
                node.close(random);
                startNode();
            }
        }

        private boolean hasComeToAnEnd() {
            return nodes.stream().allMatch(SimulatedNode::isIdle)
                    && table.ids().stream().noneMatch(table::isUnfinished);
        }

        /** From here on everything succeeds, and no lease needs to expire. */
        private void comeToAnEnd() throws InterruptedException {
            table.forgetTurns(false);
            int rounds = 20 + 2 * table.ids().size();
            for (int round = 0; round < rounds && !hasComeToAnEnd(); round++) {
                letKeysGo();
                table.ids().stream().filter(table::isUnfinished).forEach(table::makeDue);
                for (SimulatedNode node : nodes) {
                    node.tellCommitted(random);
                    node.renewOverdue();
                    node.poll();
                    node.take();
                    node.begin(random);
                    node.end(random, Verdict.DONE);
                    node.writeOutcome(random);
                    node.reportOutcome(random);
                    node.check();
                }
            }
        }
    }
}
