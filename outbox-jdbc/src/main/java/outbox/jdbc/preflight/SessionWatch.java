package outbox.jdbc.preflight;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether two clients of a proxy that are connected at the same time share sessions of the server. Only then may a client have another session in
 * its next transaction, or one that the other client had before.
 */
final class SessionWatch {

    private enum Client {
        MINE,
        OTHER
    }

    /** A proxy gives out the session that came back last, or one after the other; somebody else may be quicker. */
    private static final List<Client> LOOKS = List.of(Client.OTHER, Client.MINE, Client.MINE, Client.OTHER);

    private final Trial trial;
    private final String sql;
    private final Set<Integer> mine = new HashSet<>();
    private final Set<Integer> others = new HashSet<>();

    /** @param session that of the trial's connection in its transaction */
    SessionWatch(Trial trial, String sql, int session) {
        this.trial = trial;
        this.sql = sql;
        mine.add(session);
    }

    /** Ends the transaction of the trial. */
    boolean isShared(Connection other) throws SQLException {
        // Row-level security has already cost two statements of those that there may be.
        int looks = trial.hasRowSecurity() ? 2 : LOOKS.size();
        for (Client client : LOOKS.subList(0, looks)) {
            trial.endTransaction();
            look(client, other);
            if (mine.size() > 1 || others.size() > 1 || mine.equals(others)) {
                return true;
            }
        }
        return false;
    }

    private void look(Client client, Connection other) throws SQLException {
        if (client == Client.MINE) {
            mine.add(PreparedStatementsCheck.session(trial.connection(), sql));
            return;
        }
        others.add(PreparedStatementsCheck.session(other, sql));
        if (!other.getAutoCommit()) {
            other.rollback();
        }
    }
}
