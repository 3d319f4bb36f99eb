package outbox.jdbc.preflight;

import java.sql.SQLException;

/** Looks at one thing that may be in the way of an outbox. */
public interface PreflightCheck {

    /** The name by which it is switched off. */
    String name();

    /**
     * Looks, and tells the trial what it has found.
     *
     * @throws SQLException that is then told as a thing that could not be looked at, unless the database is away
     */
    void look(Trial trial) throws SQLException;
}
