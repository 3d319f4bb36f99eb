package outbox.benchmarks.database;

import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts in the client, for databases that do not tell. */
final class JdbcCostMeter implements CostMeter, JdbcObserver {

    private final LongAdder statements = new LongAdder();
    private final LongAdder commits = new LongAdder();

    @Override
    public void executed(int count) {
        statements.add(count);
    }

    @Override
    public void committed() {
        commits.increment();
    }

    @Override
    public void begin() {
        statements.reset();
        commits.reset();
    }

    @Override
    public Costs end() {
        return new Costs(statements.sum(), commits.sum(), OptionalLong.empty());
    }

    @Override
    public long statements() {
        return statements.sum();
    }

    @Override
    public OptionalLong logPosition() {
        return OptionalLong.empty();
    }

    @Override
    public void close() {}
}
