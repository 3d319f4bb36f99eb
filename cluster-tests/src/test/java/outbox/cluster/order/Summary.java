package outbox.cluster.order;

import java.util.Locale;
import outbox.model.EventStatus;

/** What a run was like, in one line. */
final class Summary {

    private Summary() {}

    static String of(History history, Verdict verdict, JournalReader journal) {
        long hot = history.events().stream()
                .filter(event -> event.key() != null && Keys.isHot(event.key()))
                .count();
        long loose =
                history.events().stream().filter(event -> event.key() == null).count();
        long dead = history.events().stream()
                .filter(event -> event.status() == EventStatus.DEAD)
                .count();
        return String.format(
                Locale.ROOT,
                "%d events of %d keys (%d %% hot, %d without a key), %d deliveries, %d repeats, %d late starts, %d kills,"
                        + " %d pauses, %d stalls and pauses seen, %d DEAD, %d discarded, %d replayed, %d violations",
                history.events().size(),
                history.byKey().size(),
                hot * 100 / Math.max(1, history.events().size()),
                loose,
                history.deliveries().size(),
                verdict.repeats(),
                verdict.lateStarts(),
                journal.count(Fault.Kind.KILL),
                journal.count(Fault.Kind.PAUSE),
                journal.count(Fault.Kind.STALL),
                dead,
                history.discarded().size(),
                journal.replays(),
                verdict.violations().size());
    }
}
