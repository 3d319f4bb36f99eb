package outbox.boot.listener;

import outbox.inbox.ConsumeRecordStore;
import outbox.inbox.EventDedupRepository;
import outbox.inbox.EventHandlerTemplate;

/**
 * Where the groups of an outbox keep what they have done, in its database.
 *
 * @param template handles an event once
 * @param repository reads and marks single records
 * @param records gives failed events their retries again
 */
public record GroupRecords(
        EventHandlerTemplate template, EventDedupRepository repository, ConsumeRecordStore records) {}
