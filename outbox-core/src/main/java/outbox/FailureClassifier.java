package outbox;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says what a failure means. Asked for the exception that a listener threw, then for its cause, and so on, until it knows one. Must be
 * thread-safe. An exception that nobody knows is {@link FailureKind#TRANSIENT}.
 */
@FunctionalInterface
public interface FailureClassifier {

    /** Returns what the exception means, or null if this classifier does not know it. Causes are asked for one by one, not here. */
    @Nullable
    FailureKind kindOf(Throwable failure);

    /** Knows nothing. */
    static FailureClassifier none() {
        return failure -> null;
    }

    /** Knows only what says by itself what it means: {@link PermanentFailureException} and {@link ReceiverAwayException}. */
    static FailureClassifier ownExceptions() {
        return none().permanent(PermanentFailureException.class).away(ReceiverAwayException.class);
    }

    /** As {@link #ownExceptions}, and connections that were refused or found no host mean that the receiver is away. */
    static FailureClassifier standard() {
        return ownExceptions()
                .away(ConnectException.class)
                .away(UnknownHostException.class)
                .away(NoRouteToHostException.class);
    }

    /** As this classifier, and exceptions of the type mean that the receiver is away, unless this one knows better. */
    default FailureClassifier away(Class<? extends Throwable> type) {
        return as(type, FailureKind.AWAY);
    }

    /** As this classifier, and exceptions of the type are permanent failures, unless this one knows better. */
    default FailureClassifier permanent(Class<? extends Throwable> type) {
        return as(type, FailureKind.PERMANENT);
    }

    /** As this classifier, and exceptions of the type may not come again, unless this one knows better. */
    default FailureClassifier transientFailure(Class<? extends Throwable> type) {
        return as(type, FailureKind.TRANSIENT);
    }

    private FailureClassifier as(Class<? extends Throwable> type, FailureKind kind) {
        Objects.requireNonNull(type, "type");
        return orElse(failure -> type.isInstance(failure) ? kind : null);
    }

    /** Asks this classifier first, and then the other one. */
    default FailureClassifier orElse(FailureClassifier other) {
        Objects.requireNonNull(other, "other");
        return failure -> {
            FailureKind known = kindOf(failure);
            return known == null ? other.kindOf(failure) : known;
        };
    }
}
