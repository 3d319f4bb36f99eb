package outbox.boot.unordered;

import outbox.boot.Outboxed;

/** Published, but of nothing. */
@Outboxed
public record Unordered(String text) {}
