package outbox.internal.outcome;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import outbox.internal.outcome.CompletionWriter.Listener;
import outbox.internal.outcome.CompletionWriter.Pause;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;

/**
 * The loop of the thread that records outcomes: take what has gathered, write it, come back to what somebody had locked, go on. Ends when the
 * buffer is closed and empty and nothing is locked any more.
 *
 * <p>A group that was taken is known nowhere else. So it is kept until all of it has been reported, and tried again if something failed on the
 * way that is no answer of the database; a few times only, because other groups wait.
 */
public final class Recorder implements Runnable {

    static final int MAX_FAILURES = 5;
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Logger LOG = SafeLog.of(Recorder.class);

    private final CompletionBuffer buffer;
    private final OpenGroup open;
    private final CompletionWriter writer;
    private final Pause pause;
    private int failures;

    /**
     * @param groupSize the most that a group of the buffer has
     * @param writer makes a writer that tells the given listener
     * @param listener hears what became of the completions
     */
    public Recorder(
            CompletionBuffer buffer,
            int groupSize,
            Function<Listener, CompletionWriter> writer,
            Pause pause,
            Listener listener) {
        this.buffer = buffer;
        this.open = new OpenGroup(listener, groupSize);
        this.writer = writer.apply(open);
        this.pause = pause;
    }

    @Override
    public void run() {
        while (true) {
            try {
                if (open.isEmpty()) {
                    open.begin(buffer.takeGroup(writer.timeToNextTry()));
                    failures = 0;
                }
                if (!open.isEmpty()) {
                    writeGroup();
                } else if (buffer.isEnded()) {
                    writer.finish();
                    return;
                }
                writer.tryLockedAgain();
                buffer.keepRoomFor(writer.lockedCount());
            } catch (InterruptedException e) {
                // Only a closed buffer ends the loop: what is in it is known nowhere else.
                LOG.log(Level.DEBUG, "Recorder interrupted");
            } catch (Throwable e) {
                LOG.log(Level.ERROR, "Recorder failed; it tries what is left of the group again", LoggedError.of(e));
                failed();
            }
        }
    }

    private void writeGroup() {
        writer.write(open.undecided());
        open.end();
    }

    /** The pause gives memory the time to be freed. */
    private void failed() {
        failures++;
        if (failures >= MAX_FAILURES || !mayTryAgain()) {
            open.abandon();
        }
    }

    private boolean mayTryAgain() {
        try {
            return pause.await(PAUSE);
        } catch (Throwable e) {
            return true;
        }
    }

    /**
     * The group that is being recorded: passes on what became of its completions, and knows of which that has not been done yet. Should memory
     * run out on the way, what was written is not written again, and what was not is not forgotten: to begin with a group and to note something
     * takes no memory. Used by one thread.
     */
    private static final class OpenGroup implements Listener {

        /** What became of a completion. */
        private enum Fate {
            UNKNOWN,
            RECORDED,
            TOO_LATE,
            GIVEN_UP,
            TOLD_OR_KEPT
        }

        private final Listener listener;
        private final Fate[] fates;
        private List<Completion> group = List.of();
        /** Where the next completion most likely is: they come in the order of the group. */
        private int next;

        private OpenGroup(Listener listener, int groupSize) {
            this.listener = listener;
            this.fates = new Fate[groupSize];
        }

        /** Begins with a group; the one before must have ended. */
        private void begin(List<Completion> taken) {
            Arrays.fill(fates, Fate.UNKNOWN);
            next = 0;
            group = taken;
        }

        private boolean isEmpty() {
            return group.isEmpty();
        }

        /** Those of which nobody knows what became of them. */
        private List<Completion> undecided() {
            List<Completion> undecided = new ArrayList<>(group.size());
            for (int i = 0; i < group.size(); i++) {
                if (fates[i] == Fate.UNKNOWN) {
                    undecided.add(group.get(i));
                }
            }
            return undecided;
        }

        /** Ends with the group, and tells again what could not be told. What is not decided, the writer has kept for later. */
        private void end() {
            for (int i = 0; i < group.size(); i++) {
                tell(i, group.get(i), fates[i]);
            }
            group = List.of();
        }

        /** Ends with the group, whatever became of it: what is not decided is given up, and what cannot be told never will be. */
        private void abandon() {
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
}
