package outbox.boot.listener;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import outbox.AfterDead;
import outbox.boot.InvalidOutboxException;
import outbox.boot.OutboxListener;

/** What an annotation says, with placeholders filled in and texts read. */
final class Said {

    private final OutboxListener annotation;
    private final String method;
    private final UnaryOperator<String> placeholders;

    /**
     * @param method names the method in messages
     * @param placeholders fills placeholders in
     */
    Said(OutboxListener annotation, String method, UnaryOperator<String> placeholders) {
        this.annotation = annotation;
        this.method = method;
        this.placeholders = placeholders;
    }

    List<String> eventTypes() {
        return Arrays.stream(annotation.value()).map(placeholders).toList();
    }

    @Nullable
    String aggregateType() {
        return text(annotation.aggregateType());
    }

    @Nullable
    String id() {
        return text(annotation.id());
    }

    @Nullable
    String outbox() {
        return text(annotation.outbox());
    }

    @Nullable
    String group() {
        return text(annotation.group());
    }

    private @Nullable String text(String value) {
        String filled = placeholders.apply(value);
        return filled.isBlank() ? null : filled;
    }

    boolean transaction() {
        return annotation.transaction();
    }

    int maxAttempts(int otherwise) {
        int attempts = count("maxAttempts", annotation.maxAttempts());
        return attempts == 0 ? otherwise : attempts;
    }

    int concurrency() {
        return count("concurrency", annotation.concurrency());
    }

    int batchSize() {
        return annotation.batchSize();
    }

    private int count(String name, int value) {
        if (value < 0) {
            throw invalid(name + " must be at least 1, was " + value, "correct it, or leave it out for the default");
        }
        return value;
    }

    Duration batchLinger() {
        Duration linger = duration("batchLinger", annotation.batchLinger());
        return linger == null ? Duration.ZERO : linger;
    }

    @Nullable
    Duration firstRetry() {
        return duration("firstRetry", annotation.firstRetry());
    }

    @Nullable
    Duration longestRetry() {
        return duration("longestRetry", annotation.longestRetry());
    }

    @Nullable
    Duration timeout() {
        return duration("timeout", annotation.timeout());
    }

    @Nullable
    Duration expiresAfter() {
        return duration("expiresAfter", annotation.expiresAfter());
    }

    boolean holdsKey() {
        return annotation.afterDead() == AfterDead.HOLD_KEY;
    }

    private @Nullable Duration duration(String name, String value) {
        String given = text(value);
        if (given == null) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(given);
        } catch (IllegalArgumentException e) {
            throw invalid(name + " must be a time such as 500ms, 30s or 2h, was \"" + given + "\"", "correct it");
        }
    }

    InvalidOutboxException invalid(String problem, String action) {
        return new InvalidOutboxException("@OutboxListener " + method + ": " + problem, action);
    }
}
