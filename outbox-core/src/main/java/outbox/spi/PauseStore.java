package outbox.spi;

import java.sql.Connection;
import java.util.List;
import outbox.model.Pause;
import outbox.model.PauseTarget;

/**
 * What is paused for all processes that deliver from a table, in a table beside it. As in {@link OutboxStore}, connections and transactions belong to the
 * caller.
 */
public interface PauseStore {

    /**
     * All that is paused, in one statement.
     *
     * @throws MissingPauseTableException if there is no table of pauses, so that nothing is
     */
    List<Pause> pauses(Connection conn);

    /**
     * Pauses something, or changes by whom and why. If two do it for the same target at the same time, it may fail for one of them; it can be
     * repeated in a new transaction.
     *
     * @throws MissingPauseTableException if there is no table of pauses
     */
    void pause(Connection conn, PauseTarget target, String reason, String who);

    /**
     * Takes back what {@link #pause} said.
     *
     * @return whether it was paused
     * @throws MissingPauseTableException if there is no table of pauses
     */
    boolean resume(Connection conn, PauseTarget target);
}
