package outbox.internal.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.payload.PayloadText;
import outbox.model.BytesPayload;
import outbox.model.OutboxEvent;

/**
 * Masks what a text quotes from an event's payload and header values, for example the message of a listener's exception.
 *
 * <p>Two things are recognised, ignoring case: any {@value #PIECE} consecutive characters that a value also contains, so that a quoted,
 * truncated or embedded value is found as well; and a whole value of at least {@value #SHORTEST} characters that stands alone. Shorter
 * values are not looked for: {@code 7} and {@code no} are everywhere. What was encrypted, encoded or computed from a value is not recognised.
 */
public final class ContentMask {

    private static final int PIECE = 8;
    private static final int SHORTEST = 4;
    private static final int LONGEST_TEXT = 4 * ErrorText.MAX_LENGTH;
    private static final String MASK = "***";

    private final List<String> contents;
    private final List<String> values;

    /**
     * @param contents payloads and other texts that contain values
     * @param values texts that are a single value each
     */
    private ContentMask(List<String> contents, List<String> values) {
        this.contents = contents;
        this.values = values;
    }

    /** A mask for the content of the given event. */
    public static ContentMask of(EventEnvelope event) {
        return of(List.of(event));
    }

    /** A mask for the content of all the given events. */
    public static ContentMask of(Collection<EventEnvelope> events) {
        List<String> payloads = events.stream().map(ContentMask::textIn).toList();
        List<String> headers = events.stream()
                .flatMap(event -> event.headers().values().stream())
                .filter(Objects::nonNull)
                .toList();
        return new ContentMask(payloads, headers);
    }

    /** A mask for the content of a row that is not an event. */
    public static ContentMask of(OutboxEvent row) {
        List<String> contents = new ArrayList<>();
        BytesPayload bytes = row.bytesPayload();
        if (bytes != null) {
            contents.add(new String(bytes.bytes(), StandardCharsets.UTF_8));
        } else if (!PayloadText.OF_BYTES.equals(row.payloadJson())) { // words of the library are no content
            addIfThere(contents, row.payloadJson());
        }
        addIfThere(contents, row.headersJson());
        return new ContentMask(contents, List.of());
    }

    /** Of bytes the texts in them are looked for, as they lie in Avro or Protobuf. */
    private static String textIn(EventEnvelope event) {
        return event.isBinary() ? new String(event.payloadBytes(), StandardCharsets.UTF_8) : event.payloadJson();
    }

    private static void addIfThere(List<String> contents, @Nullable String content) {
        if (content != null) {
            contents.add(content);
        }
    }

    /** The text with the event's content masked; a very long text is also cut. */
    public String apply(String text) {
        if (text.length() < SHORTEST) {
            return text;
        }
        boolean whole = text.length() <= LONGEST_TEXT;
        String searched = fold(whole ? text : text.substring(0, LONGEST_TEXT));
        boolean[] hidden = new Search(searched).hidden();
        // A piece of content may cross the cut, and too little of it may be left to recognise it.
        return masked(text, hidden, whole ? text.length() : LONGEST_TEXT - PIECE);
    }

    private static String masked(String text, boolean[] hidden, int length) {
        StringBuilder result = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            if (!hidden[i]) {
                result.append(text.charAt(i));
            } else if (i == 0 || !hidden[i - 1]) {
                result.append(MASK);
            }
        }
        return result.toString();
    }

    /** Character by character, because the length must not change. */
    private static String fold(String text) {
        char[] chars = text.toCharArray();
        for (int i = 0; i < chars.length; i++) {
            chars[i] = Character.toLowerCase(chars[i]);
        }
        return new String(chars);
    }

    /** Goes through the content once, however long it is, and remembers only what the text contains. */
    private final class Search {

        private final String text;
        private final Set<String> pieces = new HashSet<>();
        private final Set<String> found = new HashSet<>();

        Search(String text) {
            this.text = text;
            for (int i = 0; i + PIECE <= text.length(); i++) {
                pieces.add(text.substring(i, i + PIECE));
            }
            contents.forEach(content -> JsonValues.forEach(content, this::look));
            values.forEach(this::look);
        }

        private void look(String value) {
            String folded = fold(value);
            if (folded.length() < PIECE) {
                if (folded.length() >= SHORTEST) {
                    found.add(folded);
                }
                return;
            }
            for (int i = 0; i + PIECE <= folded.length(); i++) {
                String piece = folded.substring(i, i + PIECE);
                if (pieces.contains(piece)) {
                    found.add(piece);
                }
            }
        }

        boolean[] hidden() {
            boolean[] hidden = new boolean[text.length()];
            if (found.isEmpty()) {
                return hidden;
            }
            for (int start = 0; start + SHORTEST <= text.length(); start++) {
                for (int end = start + SHORTEST; end <= Math.min(start + PIECE, text.length()); end++) {
                    if ((end - start == PIECE || standsAlone(start, end))
                            && found.contains(text.substring(start, end))) {
                        Arrays.fill(hidden, start, end, true);
                    }
                }
            }
            return hidden;
        }

        private boolean standsAlone(int start, int end) {
            return (start == 0 || !Character.isLetterOrDigit(text.charAt(start - 1)))
                    && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
        }
    }
}
