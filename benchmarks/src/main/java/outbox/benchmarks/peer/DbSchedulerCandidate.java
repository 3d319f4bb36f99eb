package outbox.benchmarks.peer;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.SQLException;
import java.time.Duration;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.database.Pool;
import outbox.benchmarks.database.Scratch;

/**
 * db-scheduler with a one-time task for each event. Tuned: lock-and-fetch with the limits of its documentation's own benchmark, and
 * a check for due executions after each commit, which is what it documents instead of immediate execution for tasks that are
 * scheduled within a transaction.
 */
final class DbSchedulerCandidate extends PeerCandidate {

    private static final String[] DDL = {
        """
        CREATE TABLE scheduled_tasks (
          task_name TEXT NOT NULL, task_instance TEXT NOT NULL, task_data BYTEA, execution_time TIMESTAMP WITH TIME ZONE NOT NULL,
          picked BOOLEAN NOT NULL, picked_by TEXT, last_success TIMESTAMP WITH TIME ZONE, last_failure TIMESTAMP WITH TIME ZONE,
          consecutive_failures INT, last_heartbeat TIMESTAMP WITH TIME ZONE, version BIGINT NOT NULL, priority SMALLINT,
          PRIMARY KEY (task_name, task_instance))""",
        "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
        "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)"
    };

    private static final int TUNED_THREADS = 20;

    DbSchedulerCandidate(boolean usesDefaults) {
        super("db-scheduler", usesDefaults);
    }

    @Override
    public boolean deletes() {
        return true;
    }

    @Override
    public String pendingQuery() {
        return "SELECT count(*) FROM scheduled_tasks";
    }

    @Override
    public void createTables(Scratch database) throws SQLException {
        database.execute(DDL);
    }

    @Override
    public Participant open(Scratch database, Purpose purpose, Deliveries deliveries) {
        Pool pool = database.openPool();
        OneTimeTask<String> task = Tasks.oneTime("deliver", String.class)
                .execute((instance, context) -> deliveries.arrived(instance.getData()));
        SchedulerBuilder builder = Scheduler.create(pool.dataSource(), task).shutdownMaxWait(Duration.ofSeconds(2));
        if (!usesDefaults()) {
            builder.threads(TUNED_THREADS).pollUsingLockAndFetch(4.0, 20.0).pollingInterval(Duration.ofMillis(100));
        }
        boolean delivers = purpose == Purpose.DELIVER || purpose == Purpose.DRAIN;
        return new DbSchedulerParticipant(pool, task, builder.build(), delivers, delivers && !usesDefaults());
    }
}
