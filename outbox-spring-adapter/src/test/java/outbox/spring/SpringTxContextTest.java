package outbox.spring;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

class SpringTxContextTest {

    private final TestDatabase database = new TestDatabase();
    private final SpringTxContext context = new SpringTxContext(database.dataSource());

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_data_source_is_required() {
        assertThatNullPointerException()
                .isThrownBy(() -> new SpringTxContext(null))
                .withMessage("dataSource");
    }

    @Test
    void a_proxy_without_a_target_is_refused_at_once() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SpringTxContext(new TransactionAwareDataSourceProxy()))
                .withMessage("Property 'dataSource' is required");
    }

    @Test
    void a_transaction_is_active_from_begin_to_end() {
        assertThat(context.isTransactionActive()).isFalse();

        database.required()
                .executeWithoutResult(
                        status -> assertThat(context.isTransactionActive()).isTrue());

        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void a_scope_without_an_actual_transaction_is_not_active() {
        database.propagation(TransactionDefinition.PROPAGATION_SUPPORTS)
                .executeWithoutResult(
                        status -> assertThat(context.isTransactionActive()).isFalse());
    }

    @Test
    void a_suspended_transaction_is_not_active() {
        database.required()
                .executeWithoutResult(outer -> database.propagation(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(inner -> {
                            assertThat(context.isTransactionActive()).isFalse();
                            assertThatIllegalStateException().isThrownBy(context::currentConnection);
                        }));
    }

    @Test
    void the_connection_is_the_one_that_business_code_uses() {
        database.required().executeWithoutResult(status -> {
            Connection connection = context.currentConnection();

            assertThat(connection).isSameAs(DataSourceUtils.getConnection(database.dataSource()));
            assertThat(connection).isSameAs(context.currentConnection());
        });
    }

    @Test
    void no_connection_is_given_out_without_a_transaction() {
        int before = database.openSessions();

        assertThatIllegalStateException()
                .isThrownBy(context::currentConnection)
                .withMessageStartingWith(
                        "No transaction on the DataSource " + DriverManagerDataSource.class.getName() + "@")
                .withMessageContaining("the same DataSource as that transaction manager");

        assertThat(database.openSessions()).isEqualTo(before);
    }

    @Test
    void no_connection_is_given_out_in_a_scope_without_an_actual_transaction() {
        database.propagation(TransactionDefinition.PROPAGATION_SUPPORTS)
                .executeWithoutResult(status -> assertThatIllegalStateException()
                        .isThrownBy(context::currentConnection)
                        .withMessageStartingWith("No transaction on the DataSource"));
    }

    @Test
    void no_connection_stays_open_after_the_transaction() {
        int before = database.openSessions();

        for (int i = 0; i < 10; i++) {
            database.required().executeWithoutResult(status -> {
                context.currentConnection();
                context.currentConnection();
                assertThat(database.openSessions()).isEqualTo(before + 1);
            });
        }

        assertThat(database.openSessions()).isEqualTo(before);
    }

    @Test
    void the_connection_is_returned_as_often_as_it_is_taken() {
        database.required().executeWithoutResult(status -> {
            context.currentConnection();

            assertThat(TransactionSynchronizationManager.getResource(database.dataSource()))
                    .asInstanceOf(type(ResourceHolderSupport.class))
                    .matches(holder -> !holder.isOpen(), "not in use");
        });
    }

    @Test
    void a_transaction_aware_proxy_stands_for_its_target() {
        SpringTxContext proxied = new SpringTxContext(new TransactionAwareDataSourceProxy(database.dataSource()));

        database.required()
                .executeWithoutResult(
                        status -> assertThat(proxied.currentConnection()).isSameAs(context.currentConnection()));
    }

    @Test
    void a_lazy_proxy_works_when_the_transaction_manager_has_the_same_one() {
        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(database.dataSource());
        SpringTxContext lazyContext = new SpringTxContext(lazy);

        new TransactionTemplate(new DataSourceTransactionManager(lazy))
                .executeWithoutResult(status ->
                        assertThat(lazyContext.currentConnection()).isSameAs(DataSourceUtils.getConnection(lazy)));
    }

    @Test
    void the_jdbc_transaction_manager_works_alike() {
        new TransactionTemplate(new JdbcTransactionManager(database.dataSource()))
                .executeWithoutResult(status -> assertThat(context.currentConnection())
                        .isSameAs(DataSourceUtils.getConnection(database.dataSource())));
    }

    @Test
    void callbacks_are_refused_without_synchronization() {
        assertThatIllegalStateException()
                .isThrownBy(() -> context.afterCommit(() -> {}))
                .withMessage("Transaction synchronization is not active");
        assertThatIllegalStateException()
                .isThrownBy(() -> context.afterRollback(() -> {}))
                .withMessage("Transaction synchronization is not active");
    }

    @Test
    void callbacks_are_refused_with_a_transaction_but_no_synchronization() {
        TransactionSynchronizationManager.setActualTransactionActive(true);
        try {
            assertThat(context.isTransactionActive()).isTrue();
            callbacks_are_refused_without_synchronization();
        } finally {
            TransactionSynchronizationManager.setActualTransactionActive(false);
        }
    }

    @Test
    void callbacks_are_refused_by_a_manager_that_never_synchronizes() {
        DataSourceTransactionManager manager = new DataSourceTransactionManager(database.dataSource());
        manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

        new TransactionTemplate(manager)
                .executeWithoutResult(status -> callbacks_are_refused_without_synchronization());
    }

    @Test
    void a_connection_without_synchronization_is_refused_by_that_name() {
        DataSourceTransactionManager manager = new DataSourceTransactionManager(database.dataSource());
        manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);

        new TransactionTemplate(manager).executeWithoutResult(status -> assertConnectionNeedsSynchronization());
        TransactionSynchronizationManager.setActualTransactionActive(true);
        try {
            assertConnectionNeedsSynchronization();
        } finally {
            TransactionSynchronizationManager.setActualTransactionActive(false);
        }
    }

    private void assertConnectionNeedsSynchronization() {
        assertThatIllegalStateException()
                .isThrownBy(context::currentConnection)
                .withMessageStartingWith("Transaction synchronization is not active");
    }

    @Test
    void a_callback_is_required() {
        database.required().executeWithoutResult(status -> {
            assertThatNullPointerException().isThrownBy(() -> context.afterCommit(null));
            assertThatNullPointerException().isThrownBy(() -> context.afterRollback(null));
        });
    }

    @Test
    void callbacks_run_in_the_order_of_registration_and_only_once() {
        List<Integer> order = new ArrayList<>();

        database.required().executeWithoutResult(status -> {
            for (int i = 1; i <= 5; i++) {
                int number = i;
                context.afterCommit(() -> order.add(number));
            }
            assertThat(order).isEmpty();
        });

        assertThat(order).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void one_synchronization_serves_all_callbacks_of_a_transaction() {
        database.required().executeWithoutResult(status -> {
            for (int i = 0; i < 100; i++) {
                context.afterCommit(() -> {});
                context.afterRollback(() -> {});
            }
            assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
        });
    }

    @Test
    void the_next_transaction_of_the_thread_starts_without_callbacks() {
        List<String> calls = new ArrayList<>();
        database.required().executeWithoutResult(status -> context.afterCommit(() -> calls.add("first")));

        database.required().executeWithoutResult(status -> context.afterCommit(() -> calls.add("second")));

        assertThat(calls).containsExactly("first", "second");
    }
}
