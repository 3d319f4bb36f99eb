package outbox.proof.node;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import outbox.proof.process.Accounts;
import outbox.proof.process.Orders;
import outbox.proof.process.Script;

/** How much the producers of a node write, and what: for a while also what is hard to bear. */
final class Load {

    private static final int LARGEST_TRANSACTION = 60;

    /** More than fit into the heap of a node. */
    private static final int LARGE_EVENTS = 100;

    private static final int BAD_TEXTS = 40;

    private final double eventsPerSecond;
    private final Urge large = new Urge();
    private final Urge badTexts = new Urge();
    private final Urge killers = new Urge();
    private volatile boolean allDueAtOnce;

    /** So much for each producer; the rest comes when it is ordered. */
    Load(double eventsPerSecond, Orders orders) {
        this.eventsPerSecond = eventsPerSecond;
        orders.on("write-large", time -> beginLarge(Orders.millis(time)))
                .on("write-bad-texts", time -> badTexts.begin(BAD_TEXTS, Orders.millis(time)))
                .on("write-killer", time -> killers.begin(1, Orders.millis(time)));
    }

    private void beginLarge(Duration time) {
        allDueAtOnce = !allDueAtOnce;
        large.begin(LARGE_EVENTS, time);
    }

    /** An event that is about to be written; to be delivered after some time, if that is not zero. */
    record Draft(Script script, String payload, Duration delay) {}

    /** The next event; where there is an order it has no delay, as others of its account would have to wait for it. */
    Draft next(Random random, ProvenOutbox outbox, @Nullable String account) {
        if (large.takeOne()) {
            Duration delay = allDueAtOnce && !outbox.isOrdered() ? large.left() : Duration.ZERO;
            return new Draft(Script.PROMPT, Script.PROMPT.largePayload(random), delay);
        }
        if (!outbox.isConsumed() && killers.takeOne()) {
            return new Draft(Script.KILLER, Script.KILLER.payload(random), Duration.ZERO);
        }
        Script script = badTexts.takeOne() ? Script.failingWithBadText(random) : script(random, outbox, account);
        return new Draft(script, script.payload(random), Duration.ZERO);
    }

    private static Script script(Random random, ProvenOutbox outbox, @Nullable String account) {
        return outbox.diesSoon()
                ? Script.randomWhereKeysAreHeld(random, account != null && Accounts.isHeld(account))
                : Script.random(random);
    }

    /** How many events the next transaction writes to an outbox. Large ones come alone: it is the queues that they are to fill. */
    int transactionSize(Random random) {
        if (large.isOn()) {
            return 1;
        }
        return 1 + random.nextInt(random.nextInt(25) == 0 ? LARGEST_TRANSACTION : 3);
    }

    double eventsPerSecond() {
        return eventsPerSecond;
    }

    /** Whether listeners have to wait, so that large events gather in the queues; those that fall due together do so anyway. */
    boolean holdsUpListeners() {
        return large.isOn() && !allDueAtOnce;
    }

    /** Whether there is something to write that does not wait until producers have rested. */
    boolean isUrgent() {
        return large.isOn() || badTexts.isOn() || killers.isOn();
    }

    /** How many of the hard ones there were so far, in words. */
    String told() {
        return large.taken() + " large events, " + badTexts.taken() + " with bad texts and " + killers.taken()
                + " that end their process were written";
    }

    /** So many of something, until some time. */
    private static final class Urge {
        private final AtomicInteger wanted = new AtomicInteger();
        private final AtomicInteger taken = new AtomicInteger();
        private volatile long until = System.nanoTime();

        void begin(int count, Duration time) {
            until = System.nanoTime() + time.toNanos();
            wanted.set(count);
        }

        boolean isOn() {
            return wanted.get() > 0 && until - System.nanoTime() > 0;
        }

        boolean takeOne() {
            boolean took = isOn() && wanted.getAndDecrement() > 0;
            taken.addAndGet(took ? 1 : 0);
            return took;
        }

        int taken() {
            return taken.get();
        }

        Duration left() {
            return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
        }
    }
}
