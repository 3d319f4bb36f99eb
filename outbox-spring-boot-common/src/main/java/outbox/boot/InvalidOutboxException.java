package outbox.boot;

import outbox.OutboxException;

/** An application describes its outbox or its listeners in a way that cannot work; says what, and the way out. */
public class InvalidOutboxException extends OutboxException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * What cannot work.
     *
     * @param problem the thing, the rule and the value
     * @param action the way out
     */
    public InvalidOutboxException(String problem, String action) {
        super(problem + "; " + action, null);
        this.problem = problem;
        this.action = action;
    }

    /** The thing, the rule and the value. */
    public String problem() {
        return problem;
    }

    /** The way out. */
    public String action() {
        return action;
    }
}
