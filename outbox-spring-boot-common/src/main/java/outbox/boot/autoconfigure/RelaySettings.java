package outbox.boot.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.Unroutable;

/** How an outbox delivers: {@code outbox.relay.*}. Defaults are literals, as the metadata wants them. */
public class RelaySettings {

    /** Whether this process polls and delivers; if not, it only writes, and others deliver. */
    private boolean enabled = true;

    /** The pause between two polls. */
    private Duration pollInterval = Duration.ofSeconds(1);

    /** How many events a poll takes at most. */
    private int batchSize = 100;

    /** How long a lease lasts unless it is renewed; at least a second. */
    private Duration lockTtl = Duration.ofMinutes(1);

    /** How many failures make an event DEAD. */
    private int maxAttempts = 152;

    /** Whether only one of several processes delivers at a time. */
    private boolean singleActive = false;

    /** How many threads call listeners. */
    private int workers = 4;

    /** How many calls of a listener may run at once if spring.threads.virtual.enabled gives them virtual threads. */
    private int virtualThreads = 64;

    /** How long a stop waits for what is under way. Default: 5 seconds, or less if spring.lifecycle.timeout-per-shutdown-phase is short. */
    private @Nullable Duration drainTimeout;

    /** What becomes of events that have no listener in this process. */
    private Unroutable unroutable = Unroutable.WAIT;

    /** Whether PostgreSQL's LISTEN wakes the poller; needs the trigger of schema/postgresql-notify.sql and one connection. */
    private boolean listen = false;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Duration getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = batchSize;
    }

    public Duration getLockTtl() {
        return lockTtl;
    }

    public void setLockTtl(Duration lockTtl) {
        this.lockTtl = lockTtl;
    }

    public int getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public boolean isSingleActive() {
        return singleActive;
    }

    public void setSingleActive(boolean singleActive) {
        this.singleActive = singleActive;
    }

    public int getWorkers() {
        return workers;
    }

    public void setWorkers(int workers) {
        this.workers = workers;
    }

    public int getVirtualThreads() {
        return virtualThreads;
    }

    public void setVirtualThreads(int virtualThreads) {
        this.virtualThreads = virtualThreads;
    }

    public @Nullable Duration getDrainTimeout() {
        return drainTimeout;
    }

    public void setDrainTimeout(@Nullable Duration drainTimeout) {
        this.drainTimeout = drainTimeout;
    }

    public Unroutable getUnroutable() {
        return unroutable;
    }

    public void setUnroutable(Unroutable unroutable) {
        this.unroutable = unroutable;
    }

    public boolean isListen() {
        return listen;
    }

    public void setListen(boolean listen) {
        this.listen = listen;
    }
}
