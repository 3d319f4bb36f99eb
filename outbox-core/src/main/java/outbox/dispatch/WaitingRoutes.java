package outbox.dispatch;

import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.Listeners.Standing;
import outbox.model.EventRoute;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * The kinds of events that were met here and cannot be delivered here: they have no listener, or one that has no time for them. Their events stay
 * in the table, for another process or for later, and claims leave them out. Thread-safe.
 *
 * <p>A registry tells nobody of new listeners, so each poll asks again for the few routes that are left out. Whether there are still events
 * of a route is not known while it is left out: after some time it is forgotten, and noted again if the next claim meets one.
 */
final class WaitingRoutes {

    /** For so long a route is left out before a claim may meet it again. */
    static final Duration LOOK_AGAIN = Duration.ofMinutes(10);

    /** Of more routes than these no line is logged each. */
    static final int MOST_TOLD = LeaseStore.ClaimRequest.MOST_LEFT_OUT;

    private static final int MOST_KEYS = 10_000;

    private final Function<EventRoute, Standing> standing;
    private final Teller teller;
    private final IntConsumer count;
    private final LongSupplier nanoTime;

    private final Map<EventRoute, LeftOut> leftOut = new LinkedHashMap<>();

    /**
     * A route that is left out.
     *
     * @param nobody because there is no listener
     * @param closed not only because enough of its events are here
     */
    private record LeftOut(long since, boolean nobody, boolean closed) {}

    /** Whether a route goes on of which events may have come to lie before those that were claimed meanwhile. */
    private boolean someGoOn;

    private final Set<EventRoute> told = new HashSet<>();

    /** Keys with an event here that waits, so that those behind it must. A key too many, or one too few, costs a poll and no order. */
    private final Map<AggregateKey, Boolean> keys = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<AggregateKey, Boolean> eldest) {
            return size() > MOST_KEYS;
        }
    };

    private volatile Set<EventRoute> current = Set.of();

    /** Says what happened, once for each route. */
    interface Teller {

        /** Events of the route wait from now on. */
        void waits(EventRoute route);

        /** More routes wait than are named. */
        void more();

        /** There is a listener now. */
        void goesOn(EventRoute route);
    }

    /**
     * @param standing how this process stands to events of a route by now
     * @param count hears how many routes have no listener; never throws
     */
    WaitingRoutes(Function<EventRoute, Standing> standing, Teller teller, IntConsumer count, LongSupplier nanoTime) {
        this.standing = standing;
        this.teller = teller;
        this.count = count;
        this.nanoTime = nanoTime;
    }

    /**
     * Says that an event of this route was met, which cannot be delivered here.
     *
     * @param why it cannot
     */
    void note(EventRoute route, Standing why) {
        if (!current.contains(route)) {
            add(route, why);
        }
    }

    private synchronized void add(EventRoute route, Standing why) {
        boolean nobody = why == Standing.NOBODY;
        if (nobody && told.size() < MOST_TOLD && told.add(route)) {
            teller.waits(route);
            if (told.size() == MOST_TOLD) {
                teller.more();
            }
        }
        if (leftOut.size() < LeaseStore.ClaimRequest.MOST_LEFT_OUT) {
            leftOut.putIfAbsent(route, new LeftOut(nanoTime.getAsLong(), nobody, why != Standing.FULL));
            changed();
        }
    }

    /** What the next claim leaves out, after a look at what has a listener by now. */
    Set<EventRoute> look() {
        if (!current.isEmpty()) {
            lookAgain();
        }
        return current;
    }

    private synchronized void lookAgain() {
        boolean some = false;
        for (Iterator<Map.Entry<EventRoute, LeftOut>> routes =
                        leftOut.entrySet().iterator();
                routes.hasNext(); ) {
            Map.Entry<EventRoute, LeftOut> route = routes.next();
            LeftOut before = route.getValue();
            Standing now = standing.apply(route.getKey());
            if (now == Standing.OPEN) {
                routes.remove();
                keys.clear(); // they may wait for another route as well, and are found again then
                some = true;
                someGoOn = someGoOn || before.closed;
                if (told.remove(route.getKey())) {
                    teller.goesOn(route.getKey());
                }
            } else if (now != Standing.FULL && !before.closed) {
                route.setValue(new LeftOut(before.since, before.nobody, true));
            }
        }
        if (forgetOldest() || some) {
            changed();
        }
    }

    /** Whether a route goes on, since this was asked last, that was left out although events of it may have been due for long. */
    synchronized boolean someGoOn() {
        boolean some = someGoOn;
        someGoOn = false;
        return some;
    }

    private boolean forgetOldest() {
        Iterator<LeftOut> times = leftOut.values().iterator();
        boolean old = times.hasNext() && nanoTime.getAsLong() - times.next().since >= LOOK_AGAIN.toNanos();
        if (old) {
            times.remove();
        }
        return old;
    }

    private void changed() {
        current = Set.copyOf(leftOut.keySet());
        count.accept(withoutListener().size());
    }

    /** The routes that have no listener. */
    synchronized Set<EventRoute> withoutListener() {
        return leftOut.entrySet().stream()
                .filter(entry -> entry.getValue().nobody)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** What claims leave out. */
    Set<EventRoute> current() {
        return current;
    }

    /** Says that an event of the key waits, so that those behind it must. */
    synchronized void keyWaits(@Nullable AggregateKey key) {
        if (key != null) {
            keys.put(key, true);
        }
    }

    /** Says that an event of the key was claimed, or that the one before was never committed. */
    synchronized void keyGoesOn(@Nullable AggregateKey key) {
        keys.remove(key);
    }

    /** Whether, as far as is known, an event of the key waits. */
    synchronized boolean isWaiting(@Nullable AggregateKey key) {
        return keys.containsKey(key);
    }
}
