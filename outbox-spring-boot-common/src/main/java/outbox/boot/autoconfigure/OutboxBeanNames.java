package outbox.boot.autoconfigure;

/** The names of the beans of an outbox. */
final class OutboxBeanNames {

    private OutboxBeanNames() {}

    /** The outbox itself: {@code outbox} or, for one under {@code outbox.more}, its name and {@code Outbox}. */
    static String outbox(String name) {
        return name.equals(OutboxAssembler.ONLY) ? OutboxAssembler.ONLY : name + "Outbox";
    }

    static String writer(String name) {
        return outbox(name) + "Writer";
    }

    static String publisher(String name) {
        return outbox(name) + "Publisher";
    }

    static String lifecycle(String name) {
        return outbox(name) + "Lifecycle";
    }
}
