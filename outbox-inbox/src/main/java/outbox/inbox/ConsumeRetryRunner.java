package outbox.inbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.internal.check.Require;
import outbox.internal.task.PeriodicTask;
import outbox.internal.text.SafeLog;
import outbox.internal.text.StoredText;

/**
 * Retries failed events that were kept with their records (see {@link ConsumeOptions#keepingFailedEvents()}) when their retry is due. Any
 * number of processes may run one: an event is acquired like any other that arrives. Events that were not kept are left to the sender that
 * delivers them again. Thread-safe.
 */
public final class ConsumeRetryRunner implements AutoCloseable {

    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);
    public static final int DEFAULT_BATCH_SIZE = 100;

    private static final Logger LOG = SafeLog.of(ConsumeRetryRunner.class);

    private final ConsumeRecordStore records;
    private final EventHandlerTemplate template;
    private final ConsumeOptions options;
    private final List<Subscription> subscriptions;
    private final int batchSize;
    private final PeriodicTask schedule;

    private ConsumeRetryRunner(Builder builder) {
        this.records = Require.set(builder.records, "records");
        this.template = Require.set(builder.template, "template");
        // Otherwise an event that fails again would not be retried.
        this.options = builder.options.keepingFailedEvents();
        this.subscriptions = List.copyOf(builder.subscriptions);
        this.batchSize = builder.batchSize;
        this.schedule = new PeriodicTask("ConsumeRetryRunner", "outbox-inbox-retry-", builder.interval, this::runOnce);
    }

    /** Starts building a runner. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts retrying, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        schedule.start();
    }

    /** Retries everything that is due now, in the calling thread. What fails is recorded and logged, not thrown. */
    public void runOnce() {
        for (Subscription subscription : subscriptions) {
            try {
                retryAll(subscription);
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "Cannot look for retries of " + nameOf(subscription), e);
            }
        }
    }

    /**
     * Goes on as long as there is more and it makes progress: failed events become due later, but events that others are handling would be
     * found again.
     */
    private void retryAll(Subscription subscription) {
        int handled = batchSize;
        int found = batchSize;
        while (found == batchSize && handled > 0 && !schedule.isClosed()) {
            List<EventEnvelope> due =
                    records.findDue(subscription.consumerGroup(), subscription.eventType(), batchSize);
            found = due.size();
            handled = 0;
            for (EventEnvelope event : due) {
                handled += retry(subscription, event) ? 1 : 0;
            }
        }
    }

    private boolean retry(Subscription subscription, EventEnvelope event) {
        try {
            return !schedule.isClosed()
                    && template.consume(subscription.consumerGroup(), event, subscription.handler(), options)
                            .done();
        } catch (RuntimeException | Error e) {
            LOG.log(
                    Level.DEBUG,
                    "Retry of event " + StoredText.inOneLine(event.eventId()) + " of " + nameOf(subscription)
                            + " failed",
                    e);
            return false;
        }
    }

    private String nameOf(Subscription subscription) {
        return StoredText.inOneLine(subscription.eventType() + " in group " + subscription.consumerGroup()
                + (records.tableName() == null ? "" : ", table " + records.tableName()));
    }

    /** Stops; returns when a retry that was under way has ended. Closing twice is harmless. */
    @Override
    public void close() {
        schedule.close();
    }

    /** Builds a runner. {@code records}, {@code template} and at least one handler are required. */
    public static final class Builder {

        private @Nullable ConsumeRecordStore records;
        private @Nullable EventHandlerTemplate template;
        private ConsumeOptions options = ConsumeOptions.defaults();
        private final List<Subscription> subscriptions = new ArrayList<>();
        private Duration interval = DEFAULT_INTERVAL;
        private int batchSize = DEFAULT_BATCH_SIZE;

        private Builder() {}

        /** Where failed events are found. Required. */
        public Builder records(ConsumeRecordStore records) {
            this.records = records;
            return this;
        }

        /** What handles them. Required. */
        public Builder template(EventHandlerTemplate template) {
            this.template = template;
            return this;
        }

        /** How they are consumed; they are kept if they fail again, whatever the options say. Default: the template's defaults. */
        public Builder options(ConsumeOptions options) {
            this.options = Objects.requireNonNull(options, "options");
            return this;
        }

        /** What a group does with events of a type. */
        public Builder handler(String consumerGroup, String eventType, EventHandler handler) {
            subscriptions.add(new Subscription(consumerGroup, eventType, handler));
            return this;
        }

        /** All handlers that are registered with the bus at this time. */
        public Builder handlersOf(InProcessEventBus bus) {
            subscriptions.addAll(bus.subscriptions());
            return this;
        }

        /** The pause between two runs. Default: 1 second. */
        public Builder interval(Duration interval) {
            this.interval = Intervals.positive(interval);
            return this;
        }

        /** The most events that are looked for at once. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Require.atLeast(1, batchSize, "batchSize");
            return this;
        }

        /**
         * Makes the runner; it does nothing before {@link ConsumeRetryRunner#start()}.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if there is no handler
         */
        public ConsumeRetryRunner build() {
            if (subscriptions.isEmpty()) {
                throw new IllegalArgumentException("a handler is required: call handler(…) or handlersOf(bus)");
            }
            return new ConsumeRetryRunner(this);
        }
    }
}
