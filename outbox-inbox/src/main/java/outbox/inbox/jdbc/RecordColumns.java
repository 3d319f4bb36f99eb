package outbox.inbox.jdbc;

/** Columns that statements of several databases share. */
final class RecordColumns {

    /** Assignments that every statement makes that marks an event as handled. */
    static final String CLEARED_BY_SUCCESS = "next_retry_at = NULL, error_msg = NULL, aggregate_type = NULL,"
            + " aggregate_id = NULL, occurred_at = NULL, headers = NULL, payload = NULL";

    static final String RECORD = "consumer_group, event_id, event_type, tenant_id, status, locked_by, locked_until,"
            + " next_retry_at, retry_count, error_msg, processed_at, created_at, updated_at";

    static final String EVENT =
            "event_id, event_type, tenant_id, aggregate_type, aggregate_id, occurred_at, headers, payload";

    private RecordColumns() {}
}
