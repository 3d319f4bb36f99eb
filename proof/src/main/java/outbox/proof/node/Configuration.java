package outbox.proof.node;

import java.util.List;
import java.util.stream.Stream;
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
    ORDERED_DELETING(true, false, Ordering.PER_AGGREGATE, CompletionMode.DELETE),
    /** The listener returns stages, and has a timeout. */
    STAGES(true, false, Ordering.NONE, CompletionMode.MARK_DONE, Listening.STAGES),
    ORDERED_STAGES(true, false, Ordering.PER_AGGREGATE, CompletionMode.MARK_DONE, Listening.STAGES),
    /** The listener takes batches, which fail as a whole, and has a timeout. */
    BATCHES(true, false, Ordering.NONE, CompletionMode.DELETE, Listening.BATCHES),
    ORDERED_BATCHES(true, false, Ordering.PER_AGGREGATE, CompletionMode.MARK_DONE, Listening.BATCHES),
    /** In order; half of the accounts wait for a person when one of their events is dead, some with thousands of events. */
    HELD(true, false, Ordering.PER_AGGREGATE, CompletionMode.MARK_DONE),
    /** As {@link #HELD}, but more events die, and they die soon, so there is work for the person. */
    HOLDING(true, false, Ordering.PER_AGGREGATE, CompletionMode.MARK_DONE);

    final boolean hot;
    final boolean singleActive;
    final Ordering ordering;
    final CompletionMode completion;
    final Listening listening;

    Configuration(boolean hot, boolean singleActive, Ordering ordering, CompletionMode completion) {
        this(hot, singleActive, ordering, completion, Listening.ONE_BY_ONE);
    }

    Configuration(
            boolean hot, boolean singleActive, Ordering ordering, CompletionMode completion, Listening listening) {
        this.listening = listening;
        this.hot = hot;
        this.singleActive = singleActive;
        this.ordering = ordering;
        this.completion = completion;
    }

    /** Those that bear any fault. Where events die soon they do so if listeners fail for a while, so that has plans of its own. */
    public static List<Configuration> forAnyFault() {
        return Stream.of(values())
                .filter(configuration -> !configuration.diesSoon())
                .toList();
    }

    /** Those that get along without a person. */
    public static List<Configuration> withoutPerson() {
        return Stream.of(values())
                .filter(configuration -> !configuration.holdsKeys())
                .toList();
    }

    /** Whether accounts may have to wait for a person. */
    public boolean holdsKeys() {
        return this == HELD || this == HOLDING;
    }

    /** Whether many events die, after a short time. */
    boolean diesSoon() {
        return this == HOLDING;
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
