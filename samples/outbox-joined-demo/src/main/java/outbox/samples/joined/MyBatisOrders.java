package outbox.samples.joined;

import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import outbox.JoinedWriter;
import outbox.Outbox;

/** Orders with MyBatis. */
record MyBatisOrders(SqlSessionFactory sessions, Outbox outbox) implements Orders {

    /** What MyBatis implements. */
    interface Mapper {

        @Insert("INSERT INTO orders (id) VALUES (#{id})")
        void insert(String id);
    }

    @Override
    public void place(String id, Runnable lastStep) {
        try (SqlSession session = sessions.openSession()) {
            session.getMapper(Mapper.class).insert(id);
            JoinedWriter events = outbox.on(session.getConnection());
            events.write("OrderPlaced", id, "{\"by\":\"MyBatis\"}");
            lastStep.run();
            session.commit();
            events.committed();
        }
    }
}
