package outbox.proof.node;

import outbox.dispatch.CompletionMode;
import outbox.dispatch.Ordering;
import outbox.proof.history.OutboxRules;

/** The ways in which an outbox is used; all of them with several nodes. */
public enum Configuration {
    /** Events go from memory to the listener right after the commit. */
    HOT(true, false, Ordering.NONE, CompletionMode.MARK_DONE),
    /** Events are only polled. */
    COLD(false, false, Ordering.NONE, CompletionMode.MARK_DONE),
    ORDERED(true, false, Ordering.PER_AGGREGATE, CompletionMode.MARK_DONE),
    /** One node delivers, the others write and stand by. */
    SINGLE_ACTIVE(true, true, Ordering.NONE, CompletionMode.MARK_DONE),
    /** Delivered events leave no row. */
    DELETING(true, false, Ordering.NONE, CompletionMode.DELETE),
    ORDERED_DELETING(true, false, Ordering.PER_AGGREGATE, CompletionMode.DELETE);

    final boolean hot;
    final boolean singleActive;
    final Ordering ordering;
    final CompletionMode completion;

    Configuration(boolean hot, boolean singleActive, Ordering ordering, CompletionMode completion) {
        this.hot = hot;
        this.singleActive = singleActive;
        this.ordering = ordering;
        this.completion = completion;
    }

    /** Whether the events of an account come in order. */
    public boolean isOrdered() {
        return ordering == Ordering.PER_AGGREGATE;
    }

    /** What must hold, depending on whether the events go to consumers. */
    public OutboxRules rules(boolean consumed) {
        return new OutboxRules(isOrdered(), completion == CompletionMode.DELETE, consumed);
    }
}
