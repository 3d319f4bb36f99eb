package outbox.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import outbox.boot.InvalidOutboxException;

/** Shows what an application has described wrongly without a stack trace. */
final class InvalidOutboxFailureAnalyzer extends AbstractFailureAnalyzer<InvalidOutboxException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidOutboxException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), cause);
    }
}
