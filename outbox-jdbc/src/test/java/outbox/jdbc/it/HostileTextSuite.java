package outbox.jdbc.it;

import java.sql.Connection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.dispatch.ErrorSummary;
import outbox.jdbc.it.Signals.Kind;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import outbox.model.EventStatus;
import outbox.testing.StoredEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Texts that a database would refuse: those of others are made fit before they are stored, those of an event are refused in time. */
@Timeout(120)
abstract class HostileTextSuite {

    private static final String TABLE = "hostile_outbox";
    private static final String NAME = "java.lang.IllegalStateException: ";
    private static final String EMOJI = "\uD83D\uDE00";
    private static final int MAX_ATTEMPTS = 3;

    private final Map<String, RuntimeException> failures = new LinkedHashMap<>();
    private final Map<String, String> expected = new LinkedHashMap<>();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), TABLE);
    }

    private void fails(String id, String message, String stored) {
        failures.put(id, new IllegalStateException(message));
        expected.put(id, NAME + stored);
    }

    @Test
    void an_id_that_the_table_would_take_for_another_is_refused_and_others_are_kept_apart() throws Exception {
        Set<String> expected = new TreeSet<>(Set.of("cafe", "caf\u00E9", "Cafe"));
        try (Node node = node(true)) {
            for (String id : expected) {
                node.commit(event(id, "Healthy"));
            }
            if (database().ignoresSpacesBehind()) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> node.commit(event("cafe ", "Healthy")))
                        .withMessage(
                                "eventId must not end in a space: table " + TABLE
                                        + " takes texts for the same that differ in nothing but spaces at the end, was \"cafe \"");
            } else {
                node.commit(event("cafe ", "Healthy"));
                expected.add("cafe ");
            }
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatever_a_listener_says_its_event_ends_dead_with_a_readable_text_and_keeps_nobody(boolean leased)
            throws Exception {
        fails("nul", "a\0b", "a\\u0000b");
        fails("nothing but nul", "\0", "\\u0000");
        fails("high", "half \uD83D", "half \uFFFD");
        fails("low", "\uDE00 half", "\uFFFD half");
        fails("emoji", EMOJI.repeat(4000), EMOJI.repeat((4000 - NAME.length() - 3) / 2) + "...");
        fails("emoji to the limit", EMOJI.repeat((4000 - NAME.length()) / 2), EMOJI.repeat((4000 - NAME.length()) / 2));
        fails("controls", controls(), controlsWrittenOut());
        fails("mebibyte", "x".repeat(1 << 20), "x".repeat(4000 - NAME.length() - 3) + "...");
        fails(
                "mebibyte of nul",
                "\0".repeat(1 << 20),
                "\\u0000".repeat(1000).substring(0, 3997 - NAME.length()) + "...");
        failures.put("mute", new MuteException(new IllegalArgumentException("no message for you")));
        expected.put("mute", MuteException.class.getName());
        failures.put("worse", new MuteException(new StackOverflowError()));
        expected.put("worse", MuteException.class.getName());

        try (Node node = node(leased)) {
            node.listeners.register("Hostile", event -> {
                throw Objects.requireNonNull(failures.get(event.eventId()));
            });
            node.listeners.register("Healthy", event -> {});
            node.poller.start();
            node.commit(Stream.concat(
                            failures.keySet().stream().map(id -> event(id, "Hostile")),
                            IntStream.range(0, 20).mapToObj(i -> event("healthy " + i, "Healthy")))
                    .toArray(EventEnvelope[]::new));
            node.signals.await(Kind.SUCCESS, 20);
            node.signals.await(Kind.DEAD, failures.size());
            assertThat(node.signals.count(Kind.FAILURE)).isEqualTo(failures.size() * (MAX_ATTEMPTS - 1));
        }

        for (Map.Entry<String, String> wanted : expected.entrySet()) {
            StoredEvent row = table.find(wanted.getKey());
            assertThat(row.status()).as(wanted.getKey()).isEqualTo(EventStatus.DEAD);
            assertThat(row.lastError()).as(wanted.getKey()).isEqualTo(wanted.getValue());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_summary_of_the_users_own_is_made_fit_as_well(boolean leased) throws Exception {
        ErrorSummary own = (event, error) -> "mine\0\uDE00";
        try (Node node = node(leased, own)) {
            node.listeners.register("Hostile", event -> {
                throw new IllegalStateException();
            });
            node.poller.start();
            node.commit(event("own", "Hostile"));
            node.signals.await(Kind.DEAD, 1);
        }

        assertThat(table.find("own").lastError()).isEqualTo("mine\\u0000\uFFFD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"eventId", "eventType", "aggregateType", "aggregateId", "tenantId", "payload"})
    void an_event_with_a_nul_is_refused_before_the_database_is_asked(String part) throws Exception {
        EventEnvelope bad = spoilt(part);
        try (Node node = node(true);
                Transaction tx = node.transactions.begin()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> node.writer.write(bad))
                    .withMessageContaining(part)
                    .withMessageContaining("U+0000")
                    .satisfies(refusal -> assertThat(part.equals("payload")
                                    && refusal.getMessage().contains("s3cret"))
                            .isFalse());
            node.writer.write(event("good", "Healthy"));
            tx.commit();
        }

        assertThat(table.find("good")).isNotNull();
        assertThat(Tables.select(database().pool(), "SELECT COUNT(*) FROM " + TABLE))
                .containsExactly("1");
    }

    @Test
    void a_header_with_a_nul_comes_back_as_it_was() throws Exception {
        try (Node node = node(true)) {
            Map<String, String> seen = new LinkedHashMap<>();
            node.listeners.register("Healthy", event -> seen.putAll(event.headers()));
            EventEnvelope event = EventEnvelope.builder("Healthy")
                    .headers(Map.of("k", "a\0b"))
                    .payloadJson("\"\\u0000\"")
                    .build();
            try (Connection conn = database().pool().getConnection()) {
                table.store().insertNew(conn, event);
            }
            node.poller.start();
            node.signals.await(Kind.SUCCESS, 1);
            assertThat(seen).containsEntry("k", "a\0b");
        }
    }

    private static EventEnvelope spoilt(String part) {
        UnaryOperator<String> spoil = name -> name.equals(part) ? name + "\0s3cret" : name;
        return EventEnvelope.builder(spoil.apply("eventType"))
                .eventId(spoil.apply("eventId"))
                .aggregateType(spoil.apply("aggregateType"))
                .aggregateId(spoil.apply("aggregateId"))
                .tenantId(spoil.apply("tenantId"))
                .payloadJson("{\"" + spoil.apply("payload") + "\":1}")
                .build();
    }

    private static EventEnvelope event(String id, String type) {
        return EventEnvelope.builder(type).eventId(id).payloadJson("{}").build();
    }

    private static String controls() {
        return IntStream.range(0, 0xA0)
                .filter(Character::isISOControl)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    private static String controlsWrittenOut() {
        return IntStream.range(0, 0xA0)
                .filter(Character::isISOControl)
                .mapToObj(c -> c == '\t' || c == '\n' ? Character.toString(c) : "\\u%04x".formatted(c))
                .collect(Collectors.joining());
    }

    private Node node(boolean leased) {
        return node(leased, ErrorSummary.withoutContent());
    }

    private Node node(boolean leased, ErrorSummary summary) {
        return new Node(
                database().pool(),
                table.store(),
                settings -> settings.maxAttempts(MAX_ATTEMPTS).errorSummary(summary),
                settings -> leased ? settings.claimLocking(Duration.ofMinutes(5)) : settings);
    }

    /** An exception that cannot even be asked what happened. */
    private static final class MuteException extends IllegalStateException {

        private static final long serialVersionUID = 1L;
        private final transient Throwable problem;

        MuteException(Throwable problem) {
            this.problem = problem;
        }

        @Override
        public String getMessage() {
            if (problem instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) problem;
        }
    }
}
