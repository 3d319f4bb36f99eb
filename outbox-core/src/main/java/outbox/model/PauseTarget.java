package outbox.model;

import java.util.Locale;
import java.util.Objects;
import outbox.internal.check.Require;

/**
 * What can be paused: a whole outbox, the events of a type, or a listener.
 *
 * @param name the event type, or the name of the listener; empty for the outbox
 */
public record PauseTarget(Kind kind, String name) {

    /** The most characters of a name. */
    public static final int MOST_CHARACTERS = 255;

    /** The kinds of things that can be paused. */
    public enum Kind {
        OUTBOX,
        EVENT_TYPE,
        LISTENER
    }

    public PauseTarget {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
        if (kind == Kind.OUTBOX && !name.isEmpty()) {
            throw new IllegalArgumentException("an outbox is paused without a name, was \"" + name + "\"");
        }
        if (kind != Kind.OUTBOX) {
            Require.text(name, "name");
        }
        if (name.codePointCount(0, name.length()) > MOST_CHARACTERS) {
            throw new IllegalArgumentException("the name of what is paused must have " + MOST_CHARACTERS
                    + " characters at most, had " + name.codePointCount(0, name.length()));
        }
    }

    /** Everything that the outbox delivers. */
    public static PauseTarget outbox() {
        return new PauseTarget(Kind.OUTBOX, "");
    }

    /** The events of that type, whatever they are about. */
    public static PauseTarget eventType(String eventType) {
        return new PauseTarget(Kind.EVENT_TYPE, eventType);
    }

    /**
     * A listener.
     *
     * @param name as in {@link ListenerState#name()}
     */
    public static PauseTarget listener(String name) {
        return new PauseTarget(Kind.LISTENER, name);
    }

    @Override
    public String toString() {
        String what = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return kind == Kind.OUTBOX ? what : what + " " + name;
    }
}
