package outbox.purge;

import java.sql.Connection;
import java.util.List;
import outbox.OutboxException;
import outbox.internal.text.StoredText;
import outbox.model.OutboxEvent;
import outbox.spi.PurgeRuns;

/** Calls an archive and turns whatever it throws into an exception that says that nothing was deleted. */
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
                "The archive failed for " + events.size() + " event(s), the first of them "
                        + StoredText.inOneLine(events.get(0).eventId()) + "; none of them is deleted",
                e);
    }
}
