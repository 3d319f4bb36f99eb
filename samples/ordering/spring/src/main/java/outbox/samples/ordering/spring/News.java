package outbox.samples.ordering.spring;

/** Where the listener's reactions go. */
@FunctionalInterface
interface News {

    void tell(String line);
}
