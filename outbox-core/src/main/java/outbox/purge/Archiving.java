package outbox.purge;

import java.sql.Connection;
import java.util.List;
import outbox.OutboxException;
import outbox.model.OutboxEvent;
import outbox.spi.PurgeRuns;

/** Turns whatever an archive throws into one exception that says what follows from it. */
final class Archiving implements PurgeRuns.BeforeDelete {

    private final EventArchive archive;

    Archiving(EventArchive archive) {
        this.archive = archive;
    }

    @Override
    public void see(Connection conn, List<OutboxEvent> events) {
        try {
            archive.archive(conn, List.copyOf(events));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(events, e);
        } catch (Exception e) {
            throw refused(events, e);
        }
    }

    private static OutboxException refused(List<OutboxEvent> events, Exception e) {
        return new OutboxException(
                "The archive did not keep " + events.size() + " event(s), beginning with "
                        + events.get(0).eventId() + "; none of them is deleted",
                e);
    }
}
