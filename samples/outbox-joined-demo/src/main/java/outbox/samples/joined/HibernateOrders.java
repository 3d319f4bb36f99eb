package outbox.samples.joined;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.jspecify.annotations.Nullable;
import outbox.JoinedWriter;
import outbox.Outbox;

/** Orders with Hibernate. */
record HibernateOrders(SessionFactory sessions, Outbox outbox) implements Orders {

    /** An order as Hibernate sees it. */
    @Entity
    @Table(name = "orders")
    static class PlacedOrder {

        @Id
        private @Nullable String id;

        protected PlacedOrder() {}

        PlacedOrder(String id) {
            this.id = id;
        }

        @Nullable
        String id() {
            return id;
        }
    }

    @Override
    public void place(String id, Runnable lastStep) {
        sessions.fromTransaction(session -> {
                    session.persist(new PlacedOrder(id));
                    JoinedWriter events = session.doReturningWork(outbox::on);
                    events.write("OrderPlaced", id, "{\"by\":\"Hibernate\"}");
                    lastStep.run();
                    return events;
                })
                .committed();
    }
}
