package outbox.dispatch;

import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import outbox.spi.OutboxStore;

/**
 * Writes a group plainly and under a time limit, which costs nothing more than a plain write; and, for a group that ran into the limit, only
 * what nobody else has locked. For that there is no limit: there is nobody left to wait for, and a database that is merely slow must get
 * its work done in the end.
 */
final class LockAwareMarks implements CompletionWriter.Marks {

    private final OutboxStore store;
    private final CompletionWriter.Marks limited;
    private final CompletionWriter.Marks patient;

    LockAwareMarks(OutboxStore store, CompletionWriter.Marks limited, CompletionWriter.Marks patient) {
        this.store = store;
        this.limited = limited;
        this.patient = patient;
    }

    @Override
    public boolean isRepeatable(List<Completion> group) {
        return limited.isRepeatable(group);
    }

    @Override
    public Set<String> write(Connection conn, List<Completion> group) {
        return limited.write(conn, group);
    }

    @Override
    public Optional<CompletionWriter.Written> writeUnlocked(Connection conn, List<Completion> group) {
        if (!store.canSkipLocked(conn)) {
            return Optional.empty();
        }
        Set<String> locked =
                store.lockOrSkip(conn, group.stream().map(Completion::eventId).toList());
        List<Completion> free = group.stream()
                .filter(completion -> !locked.contains(completion.eventId()))
                .toList();
        Set<String> late = free.isEmpty() ? Set.of() : patient.write(conn, free);
        return Optional.of(new CompletionWriter.Written(late, locked));
    }
}
