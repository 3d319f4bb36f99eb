package outbox.benchmarks.peer;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Pool;

/** db-scheduler, which schedules in the business transaction through Spring's transaction-aware data source, as it documents. */
final class DbSchedulerParticipant implements Participant {

    private final Pool pool;
    private final OneTimeTask<String> task;
    private final Scheduler scheduler;
    private final SchedulerClient client;
    private final SpringTransactions transactions;
    private final boolean delivers;
    private final boolean checksAfterCommit;

    DbSchedulerParticipant(
            Pool pool, OneTimeTask<String> task, Scheduler scheduler, boolean delivers, boolean checksAfterCommit) {
        this.pool = pool;
        this.task = task;
        this.scheduler = scheduler;
        this.client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(pool.dataSource()), task)
                .build();
        this.transactions = new SpringTransactions(pool.dataSource());
        this.delivers = delivers;
        this.checksAfterCommit = checksAfterCommit;
    }

    @Override
    public void write(List<BenchEvent> events) {
        transactions.inTransaction(events.get(0), () -> schedule(events));
        if (checksAfterCommit) {
            scheduler.triggerCheckForDueExecutions();
        }
    }

    private void schedule(List<BenchEvent> events) {
        Instant now = Instant.now();
        if (events.size() == 1) {
            client.scheduleIfNotExists(instance(events.get(0)), now);
        } else {
            client.scheduleBatch(
                    events.stream().<TaskInstance<?>>map(this::instance).toList(), now);
        }
    }

    private TaskInstance<String> instance(BenchEvent event) {
        return task.instance(event.id(), event.payload());
    }

    @Override
    public void start() {
        if (delivers) {
            scheduler.start();
        }
    }

    @Override
    public void close() {
        if (delivers) {
            scheduler.stop();
        }
        pool.close();
    }
}
