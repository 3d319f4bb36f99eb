package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.HeaderProvider;
import outbox.testsupport.CapturedLog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CarriedHeadersTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("Paid", "{}");

    private final List<String> journal = new ArrayList<>();

    private HeaderProvider provider(String name, RuntimeException onRestore, RuntimeException onClose) {
        return new HeaderProvider() {
            @Override
            public Map<String, String> headers() {
                return Map.of();
            }

            @Override
            public Scope restore(EventEnvelope event) {
                journal.add("restore " + name);
                if (onRestore != null) {
                    throw onRestore;
                }
                return () -> {
                    journal.add("close " + name);
                    if (onClose != null) {
                        throw onClose;
                    }
                };
            }
        };
    }

    @Test
    void what_was_restored_last_is_put_back_first() {
        CarriedHeaders carried = new CarriedHeaders(List.of(provider("a", null, null), provider("b", null, null)));

        carried.restore(EVENT).close();

        assertThat(journal).containsExactly("restore a", "restore b", "close b", "close a");
    }

    @Test
    void all_is_restored_or_nothing() {
        IllegalStateException broken = new IllegalStateException("no trace");
        CarriedHeaders carried = new CarriedHeaders(
                List.of(provider("a", null, null), provider("b", broken, null), provider("c", null, null)));

        assertThatIllegalStateException()
                .isThrownBy(() -> carried.restore(EVENT))
                .isSameAs(broken);
        assertThat(journal).containsExactly("restore a", "restore b", "close a");
    }

    @Test
    void one_that_cannot_put_back_keeps_none_of_the_others() {
        IllegalStateException broken = new IllegalStateException("stuck");
        CarriedHeaders carried = new CarriedHeaders(List.of(provider("a", null, null), provider("b", null, broken)));

        try (CapturedLog log = new CapturedLog()) {
            carried.restore(EVENT).close();

            assertThat(journal).endsWith("close b", "close a");
            assertThat(log.lines()).anyMatch(line -> line.text().contains("header provider"));
        }
    }

    @Test
    void without_providers_there_is_nothing_to_do() {
        assertThat(CarriedHeaders.NONE.restore(EVENT)).isSameAs(HeaderProvider.Scope.NONE);
    }
}
