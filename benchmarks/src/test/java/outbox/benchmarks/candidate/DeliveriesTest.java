package outbox.benchmarks.candidate;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeliveriesTest {

    @Test
    void an_event_is_known_by_its_payload() {
        BenchEvent event = new BenchEvent(1_234_567);
        assertThat(event.payload())
                .hasSize(250)
                .startsWith("{\"number\":\"0001234567\"")
                .endsWith("\"}");
        assertThat(BenchEvent.numberIn(event.payload())).isEqualTo(1_234_567);
        assertThat(event.id()).hasSize(26);
    }

    @Test
    void arrivals_are_counted_once_and_repetitions_apart() {
        Deliveries deliveries = new Deliveries(10);
        assertThat(deliveries.firstAt()).isZero();
        deliveries.arrived(new BenchEvent(3).payload());
        long first = deliveries.arrivedAt(3);
        deliveries.arrived(new BenchEvent(3).payload());
        deliveries.arrived(new BenchEvent(7).payload());
        assertThat(deliveries.distinct()).isEqualTo(2);
        assertThat(deliveries.duplicates()).isEqualTo(1);
        assertThat(deliveries.firstAt()).isEqualTo(first);
        assertThat(deliveries.arrivedAt(3)).isEqualTo(first);
        assertThat(deliveries.arrivedAt(4)).isZero();
    }
}
