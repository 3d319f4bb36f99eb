package outbox.boot.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Import;

/** The outboxes under {@code outbox.more}, after the one that needs no name, which must not take one of them for the application's own. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxAssembler.class)
@Import(NamedOutboxes.class)
public class MoreOutboxesAutoConfiguration {}
