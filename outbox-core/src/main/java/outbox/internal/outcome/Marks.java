package outbox.internal.outcome;

import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import outbox.internal.outcome.CompletionWriter.Written;

/** Writes a group of outcomes on a connection. */
public interface Marks {

    /** Returns the ids of events that belong to another process by now; their outcomes were not written and never will be. */
    Set<String> write(Connection conn, List<Completion> group);

    /**
     * Writes, in the connection's transaction, the outcomes of those rows that nobody else has locked, without waiting for the others. Empty
     * if the database cannot do that.
     */
    Optional<Written> writeUnlocked(Connection conn, List<Completion> group);

    /**
     * Whether the group needs no transaction around it, because it can be written again as a whole should only a part of it have been
     * written.
     */
    boolean isRepeatable(List<Completion> group);
}
