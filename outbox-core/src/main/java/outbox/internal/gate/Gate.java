package outbox.internal.gate;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.BreakerSettings;
import outbox.ListenerSettings.RateLimit;
import outbox.internal.task.Alarms;
import outbox.internal.task.Alarms.Alarm;
import outbox.model.ListenerState.BreakerState;

/**
 * Through which the events of one listener pass: no more at once than it has slots, no more in a time than its rate allows, none while it is
 * paused or its breaker is open. What cannot pass yet waits here in line; what cannot pass for long is given back. Thread-safe.
 *
 * <p>Everything is decided under one lock, and what follows from it is told to the owner afterwards, without the lock.
 */
public final class Gate<T> {

    /** Whether events of the listener are to be taken from the table. */
    public enum Status {
        OPEN,
        /** Enough of them are here for now. */
        FULL,
        /** None can be delivered here for now. */
        CLOSED
    }

    /** What a delivery says about the listener. */
    public enum Result {
        SUCCESS,
        FAILURE,
        /** Its receiver is away. */
        AWAY,
        /** There was none. */
        NOTHING
    }

    /**
     * What has become of an event that wants to pass.
     *
     * @param era to be told when it leaves
     */
    public record Entry(boolean entered, boolean waits, int era) {

        private static final Entry WAITS = new Entry(false, true, 0);
        private static final Entry REFUSED = new Entry(false, false, 0);
    }

    /**
     * How much passes.
     *
     * @param slots how many at once
     * @param beginners how many of these may be at their beginning, until {@link #begun} is said of them; any number if that is not said
     * @param rate how many in a time; null for any number
     * @param breaker when none; null for never
     * @param share how many may wait here before no more are to be taken from the table
     * @param mostAbandoned how many calls may stay out for ever before none passes
     */
    public record Limits(
            int slots,
            int beginners,
            @Nullable RateLimit rate,
            @Nullable BreakerSettings breaker,
            int share,
            int mostAbandoned) {

        /** For {@link #beginners}: nobody says when one has begun. */
        public static final int NOT_SAID = Integer.MAX_VALUE;
    }

    /** Hears what follows. */
    public interface Owner<T> {

        /** An event that waited may enter now; it has its slot already. */
        void goesOn(T event);

        /** An event that waited cannot enter for long. */
        void givesBack(T event);

        /** None passes for now; nor shall those that have passed and were not begun. */
        void closes();

        /** Events of the listener are to be taken from the table again. */
        void opens();

        /** Said when it opens, closes or begins to try, with the pause before it tries. */
        void breakerChanges(BreakerState state, Duration pause);
    }

    /** What must be told when the lock is released. */
    private final class News {
        private final List<T> goOn = new ArrayList<>(1);
        private final List<T> back = new ArrayList<>(0);
        private boolean opened;
        private boolean closed;
        private @Nullable BreakerState breakerState;
    }

    private final Limits limits;
    private final Alarms alarms;
    private final LongSupplier nanoTime;
    private final Owner<T> owner;
    private final Supplier<@Nullable String> pause;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as all below that is not volatile. */
    private final Deque<T> line = new ArrayDeque<>();

    /** Those that waited and have their slots, with the era in which they passed. */
    private final IdentityHashMap<T, Entry> called = new IdentityHashMap<>();

    private final Standstill standstill;
    private final @Nullable RateLimiter rate;
    private final @Nullable Breaker breaker;
    private Entry entered = new Entry(true, false, 0);
    private int running;
    private int beginning;

    /** Less than none if a call came back while it was being given up, and this was told first. */
    private int abandoned;

    private Alarm rateAlarm = Alarm.NONE;
    private boolean rateWaits;
    private volatile Status status = Status.OPEN;

    /** @param pause why none may pass, for people; null if that is not so */
    public Gate(Limits limits, Alarms alarms, LongSupplier nanoTime, Owner<T> owner, Supplier<@Nullable String> pause) {
        this.limits = limits;
        this.alarms = alarms;
        this.nanoTime = nanoTime;
        this.owner = owner;
        this.pause = pause;
        this.standstill = new Standstill(alarms, nanoTime, this::lookForStandstill);
        this.rate = limits.rate == null ? null : new RateLimiter(limits.rate.deliveries(), limits.rate.per());
        this.breaker = limits.breaker == null ? null : new Breaker(limits.breaker);
    }

    /** Whether events of the listener are to be taken from the table. Costs next to nothing. */
    public Status status() {
        return status;
    }

    /** An event wants to pass. One that waits is heard of through the owner; one that entered must leave. */
    public Entry enter(T event) {
        News news = new News();
        lock.lock();
        try {
            Entry passed = called.isEmpty() ? null : called.remove(event);
            if (passed != null) {
                return passed;
            }
            if (isClosed()) {
                return Entry.REFUSED;
            }
            if (line.isEmpty() && mayPass()) {
                pass();
                changed(news);
                return entered;
            }
            line.add(event);
            standstill.someWait();
            changed(news);
            return Entry.WAITS;
        } finally {
            lock.unlock();
        }
    }

    /** An event that had entered in that era has left. */
    public void leave(int era, Result result) {
        change(news -> {
            running--;
            if (result != Result.NOTHING) {
                standstill.moved();
            }
            tellBreaker(era, result, news);
        });
    }

    /** An event that has entered is past its beginning, and keeps no thread any more. */
    public void begun() {
        if (limits.beginners != Limits.NOT_SAID) {
            change(news -> beginning--);
        }
    }

    /** A call has not ended in time; another one may begin in its place. */
    public void abandons(int era) {
        change(news -> {
            running--;
            abandoned++;
            standstill.moved();
            tellBreaker(era, Result.FAILURE, news);
        });
    }

    /** A call that was abandoned has ended after all. */
    public void abandonedEnds() {
        change(news -> abandoned--);
    }

    /** An event that was to go on will not come. */
    public void gone(T event) {
        change(news -> {
            if (called.remove(event) != null) {
                running--;
                beginning -= limits.beginners == Limits.NOT_SAID ? 0 : 1;
            }
        });
    }

    /** It may be paused now, or go on. */
    public void pauseChanged() {
        change(news -> {});
    }

    /** Whether there is one. */
    public boolean hasBreaker() {
        return breaker != null;
    }

    /** Sets the breaker by hand; null leaves it to itself again. */
    public void setBreaker(@Nullable Boolean open) {
        change(news -> {
            if (breaker == null) {
                return;
            }
            if (open == null) {
                breaker.automatic();
            } else {
                breaker.set(open);
            }
            breakerChanged(news);
        });
    }

    private void tellBreaker(int era, Result result, News news) {
        if (breaker == null) {
            return;
        }
        int before = breaker.era();
        switch (result) {
            case SUCCESS -> breaker.succeeded(era);
            case FAILURE -> breaker.failed(era, false);
            case AWAY -> breaker.failed(era, true);
            case NOTHING -> breaker.cameToNothing(era);
        }
        if (breaker.era() != before) {
            breakerChanged(news);
        }
    }

    private void breakerChanged(News news) {
        if (breaker == null) {
            return;
        }
        entered = new Entry(true, false, breaker.era());
        news.breakerState = breaker.state();
        if (breaker.isOpen() && !breaker.isByHand()) {
            alarms.after(breaker.pause(), this::probe);
        }
    }

    private void lookForStandstill() {
        change(news -> standstill.look(running, line.size()));
    }

    private void probe() {
        change(news -> {
            if (breaker != null && breaker.isOpen() && !breaker.isByHand()) {
                breaker.probe();
                breakerChanged(news);
            }
        });
    }

    private interface Change<T> {
        void make(T news);
    }

    private void change(Change<News> change) {
        News news = new News();
        Duration wait;
        lock.lock();
        try {
            change.make(news);
            callThoseWhoMayPass(news);
            changed(news);
            wait = breaker == null ? Duration.ZERO : breaker.pause();
        } finally {
            lock.unlock();
        }
        tell(news, wait);
    }

    private void callThoseWhoMayPass(News news) {
        if (isClosed()) {
            news.back.addAll(line);
            line.clear();
            return;
        }
        while (!line.isEmpty() && mayPass()) {
            T next = line.remove();
            pass();
            called.put(next, entered);
            news.goOn.add(next);
        }
    }

    private boolean isClosed() {
        return pause.get() != null
                || abandoned >= limits.mostAbandoned
                || standstill.isNoticed(running)
                || (breaker != null && breaker.isOpen());
    }

    private boolean mayPass() {
        return running < limits.slots
                && beginning < limits.beginners
                && !(breaker != null && breaker.isFull())
                && isInRate();
    }

    private boolean isInRate() {
        if (rate == null) {
            return true;
        }
        long wait = rateWaits ? 1 : rate.tryPass(nanoTime.getAsLong());
        if (wait > 0 && !rateWaits) {
            rateWaits = true;
            rateAlarm = alarms.after(Duration.ofNanos(wait), this::rateAllows);
        }
        return wait <= 0;
    }

    private void rateAllows() {
        change(news -> rateWaits = false);
    }

    private void pass() {
        running++;
        standstill.moved();
        beginning += limits.beginners == Limits.NOT_SAID ? 0 : 1;
        if (breaker != null) {
            breaker.passes();
        }
    }

    private void changed(News news) {
        Status before = status;
        boolean manyWait = line.size() >= (before == Status.FULL ? Math.max(1, limits.share / 2) : limits.share);
        boolean full = manyWait || (breaker != null && breaker.isFull());
        status = isClosed() ? Status.CLOSED : full ? Status.FULL : Status.OPEN;
        news.opened = before != Status.OPEN && status == Status.OPEN;
        news.closed = before != Status.CLOSED && status == Status.CLOSED;
    }

    private void tell(News news, Duration wait) {
        news.goOn.forEach(owner::goesOn);
        news.back.forEach(owner::givesBack);
        if (news.breakerState != null) {
            owner.breakerChanges(news.breakerState, wait);
        }
        if (news.closed) {
            owner.closes();
        }
        if (news.opened) {
            owner.opens();
        }
    }

    /** Takes out all that waits, and keeps nothing back any more. */
    public List<T> close() {
        lock.lock();
        try {
            rateAlarm.callOff();
            standstill.end();
            List<T> rest = new ArrayList<>(line);
            line.clear();
            return rest;
        } finally {
            lock.unlock();
        }
    }

    /**
     * How things are.
     *
     * @param paused why none passes; null unless a person has said so, or too many calls do not end
     */
    public record View(
            BreakerState breaker,
            boolean breakerByHand,
            @Nullable String paused,
            int running,
            int waiting,
            int abandoned) {

        /** Whether nothing of it must be remembered. */
        public boolean isIdle() {
            return breaker == BreakerState.CLOSED && paused == null && running + waiting + abandoned == 0;
        }
    }

    private @Nullable String whyPaused() {
        String paused = pause.get();
        if (paused == null && abandoned >= limits.mostAbandoned) {
            return abandoned + " call(s) did not end in time";
        }
        return paused == null && standstill.isNoticed(running)
                ? "none of " + running + " deliveries has ended for " + Standstill.PATIENCE.toSeconds() + " s"
                : paused;
    }

    /** How things are now. */
    public View view() {
        lock.lock();
        try {
            return new View(
                    breaker == null ? BreakerState.CLOSED : breaker.state(),
                    breaker != null && breaker.isByHand(),
                    whyPaused(),
                    running,
                    line.size(),
                    Math.max(0, abandoned));
        } finally {
            lock.unlock();
        }
    }
}
