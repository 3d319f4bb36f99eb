package outbox.boot.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import outbox.inbox.ConsumeRecordPurgeScheduler;

/** Deletes old consume records while the context runs, if it cleans at all. */
final class ConsumeRecordCleaner implements SmartLifecycle {

    private final Inboxes inboxes;
    private final OutboxProperties properties;
    private @Nullable List<ConsumeRecordPurgeScheduler> running;

    ConsumeRecordCleaner(Inboxes inboxes, OutboxProperties properties) {
        this.inboxes = inboxes;
        this.properties = properties;
    }

    @Override
    public synchronized void start() {
        List<ConsumeRecordPurgeScheduler> schedules = new ArrayList<>();
        Collection<FinishedRecords> used = inboxes.used();
        if (properties.getCleaner().isEnabled()) {
            Duration retention = properties.getInbox().getRetention();
            for (FinishedRecords records : used) {
                ConsumeRecordPurgeScheduler schedule = ConsumeRecordPurgeScheduler.builder()
                        .records(records)
                        .retention(retention)
                        .replayWindow(
                                Duration.ZERO) // an event that may be replayed is in its table, and its records are
                        // kept
                        .build();
                schedule.start();
                schedules.add(schedule);
            }
        }
        running = schedules;
    }

    @Override
    public synchronized void stop() {
        if (running != null) {
            running.forEach(ConsumeRecordPurgeScheduler::close);
        }
        running = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return running != null;
    }

    /** After the outboxes have started, before they stop. */
    @Override
    public int getPhase() {
        return OutboxLifecycle.PHASE + 1;
    }
}
