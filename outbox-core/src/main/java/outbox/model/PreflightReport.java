package outbox.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether this environment can keep the promises of an outbox.
 *
 * @param findings all that is not as it should be, in the order of the checks; empty if nothing is, or the database could not be asked
 * @param notAsked why the database could not be asked; null if it was
 */
public record PreflightReport(
        List<PreflightFinding> findings, @Nullable String notAsked) {

    /** Nothing was found. */
    public static final PreflightReport CLEAN = new PreflightReport(List.of(), null);

    public PreflightReport {
        findings = List.copyOf(findings);
    }

    /** What was found when the database was asked. */
    public static PreflightReport of(List<PreflightFinding> findings) {
        return new PreflightReport(findings, null);
    }

    /** The database could not be asked. */
    public static PreflightReport notAsked(String why) {
        return new PreflightReport(List.of(), why);
    }

    /** Whether the database was asked. */
    public boolean asked() {
        return notAsked == null;
    }

    /** Whether the database was asked and nothing keeps the outbox from starting. */
    public boolean passed() {
        return asked() && refusals().isEmpty();
    }

    /** What keeps the outbox from starting. */
    public List<PreflightFinding> refusals() {
        return findings.stream().filter(PreflightFinding::refuses).toList();
    }

    /** What only costs. */
    public List<PreflightFinding> warnings() {
        return findings.stream().filter(finding -> !finding.refuses()).toList();
    }
}
