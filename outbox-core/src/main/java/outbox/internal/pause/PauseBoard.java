package outbox.internal.pause;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.model.Pause;
import outbox.model.PauseTarget;
import outbox.model.PauseTarget.Kind;

/** What is paused here, as far as this process knows. Reading it takes no lock. Thread-safe. */
public final class PauseBoard {

    private static final Comparator<PauseTarget> BY_NAME =
            Comparator.comparing(PauseTarget::kind).thenComparing(PauseTarget::name);

    /**
     * All of it.
     *
     * @param here what was paused in this process
     * @param everywhere what was paused for all of them
     */
    private record State(Map<PauseTarget, Pause> here, Map<PauseTarget, Pause> everywhere) {

        private static final State NOTHING = new State(Map.of(), Map.of());

        boolean isEmpty() {
            return here.isEmpty() && everywhere.isEmpty();
        }

        List<Pause> all() {
            List<Pause> all = new ArrayList<>(everywhere.values());
            all.addAll(here.values());
            return all;
        }

        /** Found by comparing: there are a few of them, and a name that nobody could pause must not fail here. */
        @Nullable
        Pause of(Kind kind, String name) {
            for (Pause pause : all()) {
                if (pause.target().kind() == kind && pause.target().name().equals(name)) {
                    return pause;
                }
            }
            return null;
        }
    }

    /** Hears of changes. */
    public interface Listener {

        /** These are paused from now on, and those are not any more. */
        void pausesChange(List<Pause> begun, List<Pause> ended);
    }

    private volatile State state = State.NOTHING;
    private volatile Listener listener = (begun, ended) -> {};

    /** From now on it hears of changes. */
    public void tells(Listener changes) {
        listener = changes;
    }

    /** Whether nothing at all is delivered here. */
    public boolean isOutboxPaused() {
        return of(Kind.OUTBOX, "") != null;
    }

    /** Whether no event of the type may be delivered here, whoever listens to it. */
    public boolean isPaused(String eventType) {
        return !state.isEmpty() && (isOutboxPaused() || of(Kind.EVENT_TYPE, eventType) != null);
    }

    /** Why the listener is paused; null if it is not. */
    public @Nullable Pause ofListener(String name) {
        return of(Kind.LISTENER, name);
    }

    private @Nullable Pause of(Kind kind, String name) {
        State now = state;
        return now.isEmpty() ? null : now.of(kind, name);
    }

    /** All that is paused. */
    public List<Pause> all() {
        return state.all();
    }

    /** What is paused in this process only. */
    public List<Pause> here() {
        return List.copyOf(state.here.values());
    }

    /** Whether something is paused for all processes. */
    public boolean hasSomeEverywhere() {
        return !state.everywhere.isEmpty();
    }

    /** Pauses something in this process, or changes the reason. */
    public void pauseHere(Pause pause) {
        Map<PauseTarget, Pause> before;
        Map<PauseTarget, Pause> after = new TreeMap<>(BY_NAME);
        synchronized (this) {
            before = state.here;
            after.putAll(before);
            after.put(pause.target(), pause);
            set(after, state.everywhere);
        }
        tell(before, after);
    }

    /** Takes back what {@link #pauseHere} said; returns whether it was paused. */
    public boolean resumeHere(PauseTarget target) {
        Map<PauseTarget, Pause> before;
        Map<PauseTarget, Pause> after = new TreeMap<>(BY_NAME);
        synchronized (this) {
            before = state.here;
            after.putAll(before);
            after.remove(target);
            set(after, state.everywhere);
        }
        tell(before, after);
        return before.containsKey(target);
    }

    /** This is what is paused for all processes. */
    public void pausedEverywhere(Collection<Pause> pauses) {
        Map<PauseTarget, Pause> before;
        Map<PauseTarget, Pause> after = new TreeMap<>(BY_NAME);
        pauses.forEach(pause -> after.put(pause.target(), pause));
        synchronized (this) {
            before = state.everywhere;
            set(state.here, after);
        }
        tell(before, after);
    }

    private void set(Map<PauseTarget, Pause> here, Map<PauseTarget, Pause> everywhere) {
        state = new State(here, everywhere);
    }

    private void tell(Map<PauseTarget, Pause> before, Map<PauseTarget, Pause> after) {
        List<Pause> begun = without(after, before);
        List<Pause> ended = without(before, after);
        if (!begun.isEmpty() || !ended.isEmpty()) {
            listener.pausesChange(begun, ended);
        }
    }

    private static List<Pause> without(Map<PauseTarget, Pause> pauses, Map<PauseTarget, Pause> others) {
        return pauses.values().stream()
                .filter(pause -> !others.containsKey(pause.target()))
                .toList();
    }
}
