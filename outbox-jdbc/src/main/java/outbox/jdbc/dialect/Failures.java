package outbox.jdbc.dialect;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Tells what a database means by an exception: by SQLState and error code, never by its words, which differ between versions, languages
 * and drivers. Immutable.
 */
public final class Failures {

    /** Knows the SQLStates of the standard. */
    public static final Failures STANDARD = new Failures(new EnumMap<>(Failure.class), false)
            .states(Failure.DUPLICATE, "23505")
            .states(Failure.SERIALIZATION, "40001")
            .states(Failure.READ_ONLY, "25006")
            .states(Failure.CHECK, "23514")
            .states(Failure.MISSING, "42S02")
            .states(Failure.DENIED, "42501");

    private final Map<Failure, Signs> signs;
    private final boolean endsTransaction;

    private Failures(Map<Failure, Signs> signs, boolean endsTransaction) {
        this.signs = signs;
        this.endsTransaction = endsTransaction;
    }

    /** What an exception is recognised by. */
    private record Signs(Set<String> states, Set<Integer> codes) {

        boolean match(SQLException e) {
            return (e.getSQLState() != null && states.contains(e.getSQLState())) || codes.contains(e.getErrorCode());
        }
    }

    /** A copy that recognises a failure by these SQLStates alone. */
    public Failures states(Failure failure, String... states) {
        return with(failure, new Signs(Set.of(states), Set.of()));
    }

    /** A copy that recognises a failure by these error codes alone, whatever the SQLState: drivers do not agree on that. */
    public Failures codes(Failure failure, Integer... codes) {
        return with(failure, new Signs(Set.of(), Set.of(codes)));
    }

    private Failures with(Failure failure, Signs of) {
        Map<Failure, Signs> copy = new EnumMap<>(signs);
        copy.put(failure, of);
        return new Failures(copy, endsTransaction);
    }

    /** A copy for a database on which a failed statement makes the rest of its transaction fail. */
    public Failures endingTransaction() {
        return new Failures(signs, true);
    }

    /** Whether the exception means that failure. */
    public boolean is(Failure failure, SQLException e) {
        Signs known = signs.get(failure);
        return known != null && known.match(e);
    }

    /** Whether a failed statement makes the rest of its transaction fail. */
    public boolean endsTransaction() {
        return endsTransaction;
    }
}
