package outbox.jdbc.dialect;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells what a database means by an exception: by SQLState, error code and class, never by its words, which differ between versions, languages
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
            .states(Failure.NO_COLUMN, "42S22")
            .states(Failure.DENIED, "42501");

    private final Map<Failure, Predicate<SQLException>> signs;
    private final boolean endsTransaction;

    private Failures(Map<Failure, Predicate<SQLException>> signs, boolean endsTransaction) {
        this.signs = signs;
        this.endsTransaction = endsTransaction;
    }

    /** A copy that recognises a failure by these SQLStates alone. */
    public Failures states(Failure failure, String... states) {
        Set<String> known = Set.of(states);
        return matching(failure, e -> e.getSQLState() != null && known.contains(e.getSQLState()));
    }

    /** A copy that recognises a failure by these error codes alone, whatever the SQLState: drivers do not agree on that. */
    public Failures codes(Failure failure, Integer... codes) {
        Set<Integer> known = Set.of(codes);
        return matching(failure, e -> known.contains(e.getErrorCode()));
    }

    /** A copy that recognises a failure by whatever a driver's own exception tells. */
    public Failures matching(Failure failure, Predicate<SQLException> sign) {
        Map<Failure, Predicate<SQLException>> copy = new EnumMap<>(signs);
        copy.put(failure, sign);
        return new Failures(copy, endsTransaction);
    }

    /** A copy for a database on which a failed statement makes the rest of its transaction fail. */
    public Failures endingTransaction() {
        return new Failures(signs, true);
    }

    /** Whether the exception means that failure. */
    public boolean is(Failure failure, SQLException e) {
        Predicate<SQLException> sign = signs.get(failure);
        return sign != null && sign.test(e);
    }

    /** Whether a failed statement makes the rest of its transaction fail. */
    public boolean endsTransaction() {
        return endsTransaction;
    }
}
