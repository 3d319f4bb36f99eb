package outbox.jdbc.purge;

import java.time.Instant;

/** A row that may go, and its place among the others of its kind. */
record Candidate(Instant end, String eventId) {}
