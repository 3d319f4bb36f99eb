package outbox.proof.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.proof.history.Consumption.Balance;
import outbox.proof.history.Consumption.ConsumeRow;
import outbox.proof.history.Consumption.Effect;
import outbox.proof.history.Delivery.Result;
import outbox.proof.history.Violation.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** Whatever happens, there is a fault that would excuse a delivery that is repeated. */
class EffectCheckTest {

    private static final String CONSUMED = "consumed";
    private static final String PLAIN = "plain";
    private static final long SUM = 17;
    private static final int PROCESSING = 0;
    private static final int FAILED = 2;

    private final List<Booking> bookings = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<OutboxRow> rows = new ArrayList<>();
    private final List<Effect> effects = new ArrayList<>();
    private final List<ConsumeRow> records = new ArrayList<>();
    private final List<Balance> balances = new ArrayList<>();

    private List<Kind> violations() {
        History history = new History(
                Map.of(CONSUMED, new OutboxRules(false, false, true), PLAIN, new OutboxRules(false, false, false)),
                Duration.ofSeconds(3),
                bookings,
                deliveries,
                List.of(),
                rows,
                new Consumption(effects, records, balances),
                List.of(new FaultWindow("fault", null, 0, Long.MAX_VALUE / 2)),
                Map.of(),
                List.of());
        return HistoryChecker.check(history).violations().stream()
                .map(Violation::kind)
                .toList();
    }

    private void delivered(String outbox, String id, Fate fate) {
        bookings.add(new Booking(outbox, id, "from", 1, 0, fate, SUM));
        Result result = fate == Fate.WELL ? Result.OK : Result.FAILED;
        deliveries.add(new Delivery(outbox, id, "A", 1, 2, result, SUM));
        rows.add(new OutboxRow(outbox, id, fate == Fate.WELL ? OutboxRow.DONE : OutboxRow.DEAD, null));
    }

    private void effect(String outbox, String id, String from, long sum) {
        effects.add(new Effect(outbox, id, from, "to", sum, "consumer-0"));
    }

    private void record(String id, int status) {
        records.add(new ConsumeRow(CONSUMED, id, status));
    }

    @Test
    void an_effect_for_each_event_that_was_well_and_none_for_others_is_good() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM);
        record("a", ConsumeRow.SUCCEEDED);
        delivered(CONSUMED, "b", Fate.POISON);
        record("b", FAILED);
        delivered(PLAIN, "c", Fate.WELL);
        balances.add(new Balance("from", -1));
        balances.add(new Balance("to", 1));
        balances.add(new Balance("somebody else", 0));

        assertThat(violations()).isEmpty();
    }

    @Test
    void an_event_that_was_delivered_without_an_effect_misses_it() {
        delivered(CONSUMED, "a", Fate.WELL);
        record("a", ConsumeRow.SUCCEEDED);

        assertThat(violations()).containsExactly(Kind.EFFECT_MISSING);
    }

    @Test
    void no_fault_excuses_an_effect_that_is_there_twice() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM);
        effect(CONSUMED, "a", "from", SUM);
        record("a", ConsumeRow.SUCCEEDED);

        assertThat(violations()).containsExactly(Kind.EFFECT_REPEATED);
    }

    @Test
    void an_event_that_always_fails_has_no_effect() {
        delivered(CONSUMED, "a", Fate.POISON);
        effect(CONSUMED, "a", "from", SUM);
        record("a", FAILED);

        assertThat(violations()).containsExactly(Kind.EFFECT_REPEATED);
    }

    @Test
    void an_effect_of_an_event_that_nobody_has_committed_is_invented() {
        effect(CONSUMED, "rolled back", "from", SUM);

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void an_effect_of_an_event_that_does_not_go_to_consumers_is_invented() {
        delivered(PLAIN, "a", Fate.WELL);
        effect(PLAIN, "a", "from", SUM);

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void an_effect_in_the_name_of_another_outbox_is_invented() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(PLAIN, "a", "from", SUM);
        record("a", ConsumeRow.SUCCEEDED);

        assertThat(violations()).containsExactly(Kind.INVENTED);
    }

    @Test
    void an_effect_with_another_payload_or_account_is_altered() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM + 1);
        record("a", ConsumeRow.SUCCEEDED);
        delivered(CONSUMED, "b", Fate.WELL);
        effect(CONSUMED, "b", "somebody else", SUM);
        record("b", ConsumeRow.SUCCEEDED);

        assertThat(violations()).containsExactly(Kind.ALTERED, Kind.ALTERED);
    }

    @ParameterizedTest
    @ValueSource(ints = {PROCESSING, FAILED, 9})
    void an_event_with_an_effect_must_be_recorded_as_consumed(int status) {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM);
        record("a", status);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void an_event_with_an_effect_must_have_a_record() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void poison_must_not_be_recorded_as_consumed() {
        delivered(CONSUMED, "a", Fate.POISON);
        record("a", ConsumeRow.SUCCEEDED);

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }

    @Test
    void balances_must_be_those_of_the_effects() {
        delivered(CONSUMED, "a", Fate.WELL);
        effect(CONSUMED, "a", "from", SUM);
        record("a", ConsumeRow.SUCCEEDED);
        balances.add(new Balance("from", -1));
        balances.add(new Balance("to", 0));

        assertThat(violations()).containsExactly(Kind.WRONG_STATE);
    }
}
