/** The transactional outbox: writer, dispatcher, poller and the ports they work through. */
module outbox.core {
    requires transitive java.sql;
    requires static org.jspecify;

    exports outbox;
    exports outbox.bus;
    exports outbox.config;
    exports outbox.dead;
    exports outbox.dispatch;
    exports outbox.model;
    exports outbox.poller;
    exports outbox.purge;
    exports outbox.registry;
    exports outbox.spi;
    exports outbox.util;
    exports outbox.internal to
            outbox.domain,
            outbox.inbox;
    exports outbox.internal.dead to
            outbox.domain;
    exports outbox.internal.check to
            outbox.domain,
            outbox.inbox;
    exports outbox.internal.outcome to
            outbox.domain;
    exports outbox.internal.payload to
            outbox.jdbc,
            outbox.testing;
    exports outbox.internal.task to
            outbox.inbox,
            outbox.jdbc,
            outbox.micrometer;
    exports outbox.internal.text to
            outbox.domain,
            outbox.inbox,
            outbox.jdbc,
            outbox.micrometer,
            outbox.spring,
            outbox.spring.boot.common,
            outbox.testing;
    exports outbox.internal.transaction to
            outbox.domain,
            outbox.inbox,
            outbox.jdbc,
            outbox.micrometer,
            outbox.testing;
}
