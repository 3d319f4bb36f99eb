package outbox.model;

import org.jspecify.annotations.Nullable;

/** How a process delivers events of a table that others may use too. */
public enum NodeMode {
    /** It leases each event, so others may do the same. */
    LEASES("leases"),
    /** As {@link #LEASES}, in the order of each key. */
    ORDERED("ordered"),
    /** As {@link #LEASES}, and only one process at a time delivers. */
    SINGLE_ACTIVE("single active"),
    /** As {@link #SINGLE_ACTIVE}, in the order of each key. */
    ORDERED_SINGLE_ACTIVE("ordered, single active"),
    /** It leases nothing, and must be the only one: it delivers what others have leased, too. */
    SINGLE_PROCESS("single process");

    private final String text;

    NodeMode(String text) {
        this.text = text;
    }

    /** The mode of that name in the table of nodes; null for a name that this version does not know. */
    public static @Nullable NodeMode of(@Nullable String text) {
        for (NodeMode mode : values()) {
            if (mode.text.equals(text)) {
                return mode;
            }
        }
        return null;
    }

    /** Its name in the table of nodes, for people too. */
    @Override
    public String toString() {
        return text;
    }
}
