package outbox.samples.operations;

/** Something that the demo waited for did not happen. */
final class BrokenPromise extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BrokenPromise(String message) {
        super(message);
    }
}
