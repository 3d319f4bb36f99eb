package outbox.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxWriter;

import static org.assertj.core.api.Assertions.assertThat;

/** The transaction manager that most Spring Boot applications have; it binds its connection in a way of its own. */
class JpaTransactionsTest {

    private final TestDatabase database = new TestDatabase();
    private final LocalContainerEntityManagerFactoryBean factoryBean = new LocalContainerEntityManagerFactoryBean();
    private final Outcomes outcomes = new Outcomes();
    private final SpringTxContext context = new SpringTxContext(database.dataSource());
    private final OutboxWriter writer = new OutboxWriter(context, new EventTable(), outcomes);
    private EntityManagerFactory entityManagers;

    @BeforeEach
    void start() {
        factoryBean.setDataSource(database.dataSource());
        factoryBean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factoryBean.setPackagesToScan("outbox.spring");
        factoryBean.afterPropertiesSet();
        entityManagers = factoryBean.getObject();
    }

    @AfterEach
    void close() {
        factoryBean.destroy();
        database.close();
    }

    @Test
    void an_event_commits_with_what_the_entity_manager_wrote() {
        required().executeWithoutResult(status -> {
            insertOrder();
            writer.write("OrderPlaced", "{}");
            assertThat(database.committedEvents()).isEmpty();
        });

        assertThat(orders()).isOne();
        assertThat(database.committedEvents()).containsExactly("OrderPlaced");
        assertThat(outcomes.committed).containsExactly("OrderPlaced");
    }

    @Test
    void an_event_rolls_back_with_what_the_entity_manager_wrote() {
        required().executeWithoutResult(status -> {
            insertOrder();
            writer.write("OrderPlaced", "{}");
            status.setRollbackOnly();
        });

        assertThat(orders()).isZero();
        assertThat(database.committedEvents()).isEmpty();
        assertThat(outcomes.committed).isEmpty();
        assertThat(outcomes.rolledBack).containsExactly("OrderPlaced");
    }

    @Test
    void an_inner_transaction_of_its_own_keeps_its_event_when_the_outer_one_rolls_back() {
        required().executeWithoutResult(outer -> {
            writer.write("Outer", "{}");
            requiresNew().executeWithoutResult(inner -> writer.write("Inner", "{}"));
            outer.setRollbackOnly();
        });

        assertThat(database.committedEvents()).containsExactly("Inner");
        assertThat(outcomes.committed).containsExactly("Inner");
        assertThat(outcomes.rolledBack).containsExactly("Outer");
    }

    @Test
    void no_connection_stays_open_after_the_transaction() {
        int before = database.openSessions();

        required().executeWithoutResult(status -> {
            context.currentConnection();
            assertThat(database.openSessions()).isEqualTo(before + 1);
        });

        assertThat(database.openSessions()).isEqualTo(before);
    }

    private TransactionTemplate required() {
        return template(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private TransactionTemplate requiresNew() {
        return template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    private TransactionTemplate template(int propagation) {
        JpaTransactionManager manager = new JpaTransactionManager(entityManagers);
        manager.setJpaDialect(new HibernateJpaDialect());
        manager.afterPropertiesSet();
        return new TransactionTemplate(manager, new DefaultTransactionDefinition(propagation));
    }

    private void insertOrder() {
        EntityManager entityManager = EntityManagerFactoryUtils.getTransactionalEntityManager(entityManagers);
        entityManager.createNativeQuery("INSERT INTO orders VALUES (1)").executeUpdate();
    }

    private int orders() {
        return database.jdbc().queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
    }
}
