package outbox.internal.gate;

import java.time.Duration;
import java.util.BitSet;
import outbox.BreakerSettings;
import outbox.model.ListenerState.BreakerState;

/**
 * Knows whether deliveries are worth while: closed as long as they are, open while the receiver is away, half open while a few of them try
 * whether it is back. What began before it last changed says nothing about how things are now. Not thread-safe.
 */
final class Breaker {

    private final BreakerSettings settings;

    /** Which of the last deliveries have failed. */
    private final BitSet failed;

    private final int remembered;
    private final int probes;
    private int next;
    private BreakerState state = BreakerState.CLOSED;
    private Duration pause;
    private int probing;
    private int era;

    /** What a person has decided, and what holds until it is taken back. */
    private boolean byHand;

    Breaker(BreakerSettings settings) {
        this.settings = settings;
        this.remembered = settings.deliveries();
        this.probes = settings.probes();
        this.failed = new BitSet(remembered);
        this.pause = settings.firstPause();
    }

    BreakerState state() {
        return state;
    }

    boolean isByHand() {
        return byHand;
    }

    /** How long it stays open before a probe. */
    Duration pause() {
        return pause;
    }

    /** Changes whenever the state does; a delivery remembers it. */
    int era() {
        return era;
    }

    /** Whether one may pass now, or at least soon. */
    boolean isOpen() {
        return state == BreakerState.OPEN;
    }

    /** Whether there is nothing to pass before the probes have come back. */
    boolean isFull() {
        return state == BreakerState.HALF_OPEN && probing >= probes;
    }

    /** One passes; {@link #isOpen} and {@link #isFull} were false. */
    void passes() {
        if (state == BreakerState.HALF_OPEN) {
            probing++;
        }
    }

    /** A delivery that passed in that era has reached its receiver. */
    void succeeded(int passedIn) {
        if (passedIn != era || byHand) {
            return;
        }
        if (state == BreakerState.HALF_OPEN) {
            pause = settings.firstPause();
            change(BreakerState.CLOSED);
        } else {
            note(false);
        }
    }

    /**
     * A delivery that passed in that era has failed.
     *
     * @param away whether the receiver is plainly away
     */
    void failed(int passedIn, boolean away) {
        if (passedIn != era || byHand) {
            return;
        }
        if (state == BreakerState.HALF_OPEN) {
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(settings.longestPause()) > 0 ? settings.longestPause() : doubled;
            change(BreakerState.OPEN);
            return;
        }
        note(true);
        if (away || (settings.failures() > 0 && failed.cardinality() >= settings.failures())) {
            change(BreakerState.OPEN);
        }
    }

    /** A delivery that passed in that era came to nothing, which says nothing about the receiver. */
    void cameToNothing(int passedIn) {
        if (passedIn == era && state == BreakerState.HALF_OPEN) {
            probing--;
        }
    }

    private void note(boolean failure) {
        if (remembered > 0) {
            failed.set(next, failure);
            next = (next + 1) % remembered;
        }
    }

    /** The pause is over: the next ones try. */
    void probe() {
        if (state == BreakerState.OPEN && !byHand) {
            change(BreakerState.HALF_OPEN);
        }
    }

    /** A person decides, until {@link #automatic}. */
    void set(boolean open) {
        byHand = true;
        change(open ? BreakerState.OPEN : BreakerState.CLOSED);
    }

    /** From now on it decides itself again, and begins by trying if it was open. */
    void automatic() {
        if (byHand) {
            byHand = false;
            pause = settings.firstPause();
            change(state == BreakerState.OPEN ? BreakerState.HALF_OPEN : BreakerState.CLOSED);
        }
    }

    private void change(BreakerState to) {
        state = to;
        era++;
        probing = 0;
        failed.clear();
        next = 0;
    }
}
