package outbox.testservers.processes;

/** A test server could not be had, or refused what a test asked of it. The message says what to do about it. */
public final class TestServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TestServerException(String message) {
        super(message);
    }

    public TestServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
