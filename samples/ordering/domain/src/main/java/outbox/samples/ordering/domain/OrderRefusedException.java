package outbox.samples.ordering.domain;

/** A rule of ordering forbids what was asked for. */
public final class OrderRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    OrderRefusedException(String message) {
        super(message);
    }
}
