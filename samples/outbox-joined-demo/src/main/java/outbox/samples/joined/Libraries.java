package outbox.samples.joined;

import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;

/** The three libraries on one data source, as their manuals set them up. */
final class Libraries implements AutoCloseable {

    private final DataSource dataSource;
    private @Nullable SessionFactory hibernate;

    Libraries(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    private SessionFactory hibernate() {
        Configuration configuration = new Configuration().addAnnotatedClass(HibernateOrders.PlacedOrder.class);
        configuration.getProperties().put("hibernate.connection.datasource", dataSource);
        SessionFactory sessions = configuration.buildSessionFactory();
        hibernate = sessions;
        return sessions;
    }

    private SqlSessionFactory myBatis() {
        org.apache.ibatis.session.Configuration configuration = new org.apache.ibatis.session.Configuration(
                new Environment("sample", new JdbcTransactionFactory(), dataSource));
        configuration.addMapper(MyBatisOrders.Mapper.class);
        return new SqlSessionFactoryBuilder().build(configuration);
    }

    /** Orders with one of the libraries. */
    Orders orders(String library, Outbox outbox) {
        return switch (library) {
            case "jOOQ" -> new JooqOrders(DSL.using(dataSource, SQLDialect.H2), outbox);
            case "MyBatis" -> new MyBatisOrders(myBatis(), outbox);
            case "Hibernate" -> new HibernateOrders(hibernate(), outbox);
            default -> throw new IllegalArgumentException("No sample with " + library);
        };
    }

    @Override
    public void close() {
        if (hibernate != null) {
            hibernate.close();
        }
    }
}
