package outbox.internal.outcome;

import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import outbox.internal.outcome.CompletionWriter.Written;

/** Marks of a database that cannot pass over locked rows and needs no transactions. */
record TestMarks(Function<List<Completion>, Set<String>> writing) implements Marks {

    @Override
    public Set<String> write(Connection conn, List<Completion> group) {
        return writing.apply(group);
    }

    @Override
    public Optional<Written> writeUnlocked(Connection conn, List<Completion> group) {
        return Optional.empty();
    }

    @Override
    public boolean isRepeatable(List<Completion> group) {
        return true;
    }
}
