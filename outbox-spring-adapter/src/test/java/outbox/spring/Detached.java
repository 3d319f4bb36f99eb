package outbox.spring;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Another view of a data source that Spring's transactions do not know: its connections are always new ones. */
final class Detached extends DelegatingDataSource {

    Detached(DataSource target) {
        super(target);
    }
}
