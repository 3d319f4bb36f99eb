package outbox.samples.joined;

import org.jooq.DSLContext;
import outbox.JoinedWriter;
import outbox.Outbox;

/** Orders with jOOQ. */
record JooqOrders(DSLContext dsl, Outbox outbox) implements Orders {

    @Override
    public void place(String id, Runnable lastStep) {
        dsl.transactionResult(trx -> {
                    trx.dsl().execute("INSERT INTO orders (id) VALUES (?)", id);
                    JoinedWriter events = trx.dsl().connectionResult(outbox::on);
                    events.write("OrderPlaced", id, "{\"by\":\"jOOQ\"}");
                    lastStep.run();
                    return events;
                })
                .committed();
    }
}
