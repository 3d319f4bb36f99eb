package outbox.proof.process;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection that answers and cannot write. Takes it out of its pool, as an application does that has lived through a fail-over. */
public final class ReadOnly implements SQLExceptionOverride {

    private static final String STATE = "25006";

    /** Of MySQL and MariaDB: the server is read-only, because of an option or in general; the transaction is. */
    private static final Set<Integer> CODES = Set.of(1290, 1792, 1836);

    @java.lang.Override
    public Override adjudicate(SQLException e) {
        return is(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
    }

    /** Whether that is why a statement was refused. */
    public static boolean is(SQLException problem) {
        for (@Nullable Throwable e = problem; e != null; e = e.getCause()) {
            if (e instanceof SQLException sql
                    && (STATE.equals(sql.getSQLState()) || CODES.contains(sql.getErrorCode()))) {
                return true;
            }
        }
        return false;
    }
}
