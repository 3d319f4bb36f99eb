package outbox.model;

import java.util.Objects;

/**
 * Something that a preflight does not like.
 *
 * @param check the name of the check, by which it can be switched off
 * @param severity whether the outbox may start all the same
 * @param message the thing, the rule, what was found and the way out; never the content of an event
 */
public record PreflightFinding(String check, Severity severity, String message) {

    /** What a finding means for the start. */
    public enum Severity {
        /** Events would get lost, come twice, come out of order or stay where they are: the outbox does not start. */
        REFUSES,
        /** It only costs: the outbox starts. */
        WARNS
    }

    public PreflightFinding {
        Objects.requireNonNull(check, "check");
        Objects.requireNonNull(severity, "severity");
        Objects.requireNonNull(message, "message");
    }

    /** A finding that keeps the outbox from starting. */
    public static PreflightFinding refusing(String check, String message) {
        return new PreflightFinding(check, Severity.REFUSES, message);
    }

    /** A finding that only costs. */
    public static PreflightFinding warning(String check, String message) {
        return new PreflightFinding(check, Severity.WARNS, message);
    }

    /** Whether it keeps the outbox from starting. */
    public boolean refuses() {
        return severity == Severity.REFUSES;
    }

    /** The name of the check and what it says. */
    @Override
    public String toString() {
        return "[" + check + "] " + message;
    }
}
