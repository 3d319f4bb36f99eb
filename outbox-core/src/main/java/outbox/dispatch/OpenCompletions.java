package outbox.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The group that is being recorded: passes on what became of its completions, and knows of which that has not been done yet. Should memory
 * run out on the way, what was written is not written again, and what was not is not forgotten: to begin with a group and to note something
 * takes no memory. Used by one thread.
 */
final class OpenCompletions implements CompletionWriter.Listener {

    /** What became of a completion. */
    private enum Fate {
        UNKNOWN,
        RECORDED,
        TOO_LATE,
        GIVEN_UP,
        TOLD_OR_KEPT
    }

    private final CompletionWriter.Listener listener;
    private final Fate[] fates;
    private List<Completion> group = List.of();
    /** Where the next completion most likely is: they come in the order of the group. */
    private int next;

    /** @param groupSize the most that a group has */
    OpenCompletions(CompletionWriter.Listener listener, int groupSize) {
        this.listener = listener;
        this.fates = new Fate[groupSize];
    }

    /** Begins with a group; the one before must have ended. */
    void begin(List<Completion> taken) {
        Arrays.fill(fates, Fate.UNKNOWN);
        next = 0;
        group = taken;
    }

    boolean isEmpty() {
        return group.isEmpty();
    }

    /** Those of which nobody knows what became of them. */
    List<Completion> undecided() {
        List<Completion> undecided = new ArrayList<>(group.size());
        for (int i = 0; i < group.size(); i++) {
            if (fates[i] == Fate.UNKNOWN) {
                undecided.add(group.get(i));
            }
        }
        return undecided;
    }

    /** Ends with the group, and tells again what could not be told. What is not decided, the writer has kept for later. */
    void end() {
        for (int i = 0; i < group.size(); i++) {
            tell(i, group.get(i), fates[i]);
        }
        group = List.of();
    }

    /** Ends with the group, whatever became of it: what is not decided is given up, and what cannot be told never will be. */
    void abandon() {
        for (int i = 0; i < group.size(); i++) {
            try {
                tell(i, group.get(i), fates[i] == Fate.UNKNOWN ? Fate.GIVEN_UP : fates[i]);
            } catch (Throwable e) {
                // The others need not suffer for it.
            }
        }
        group = List.of();
    }

    @Override
    public void recorded(Completion completion) {
        tell(indexOf(completion), completion, Fate.RECORDED);
    }

    @Override
    public void tooLate(Completion completion) {
        tell(indexOf(completion), completion, Fate.TOO_LATE);
    }

    @Override
    public void givenUp(Completion completion) {
        tell(indexOf(completion), completion, Fate.GIVEN_UP);
    }

    @Override
    public void kept(Completion completion) {
        note(indexOf(completion), Fate.TOLD_OR_KEPT);
    }

    /** The fate is noted before it is told, which may fail. */
    private void tell(int index, Completion completion, Fate fate) {
        note(index, fate);
        switch (fate) {
            case RECORDED -> listener.recorded(completion);
            case TOO_LATE -> listener.tooLate(completion);
            case GIVEN_UP -> listener.givenUp(completion);
            case UNKNOWN, TOLD_OR_KEPT -> {
                return;
            }
        }
        note(index, Fate.TOLD_OR_KEPT);
    }

    private void note(int index, Fate fate) {
        if (index >= 0) {
            fates[index] = fate;
        }
    }

    /** Negative for one of an earlier group, which the writer had kept. */
    private int indexOf(Completion completion) {
        for (int i = 0; i < group.size(); i++) {
            int index = (next + i) % group.size();
            if (group.get(index).eventId().equals(completion.eventId())) {
                next = index + 1;
                return index;
            }
        }
        return -1;
    }
}
