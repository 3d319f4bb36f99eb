package outbox.boot.autoconfigure;

import java.time.Duration;
import org.springframework.context.ApplicationContext;

/** Purges at once what the cleaner would purge within the hour. */
public final class ConsumeRecordCleanerAccess {

    private ConsumeRecordCleanerAccess() {}

    public static void purge(ApplicationContext context) {
        context.getBean(Inboxes.class).used().forEach(records -> records.purge(Duration.ofMillis(1), 100));
    }
}
