package outbox.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StatisticsTest {

    @Test
    void the_median_of_an_odd_number_of_values_is_the_middle_one() {
        assertThat(Statistics.median(9, 1, 5)).isEqualTo(5);
    }

    @Test
    void the_median_of_an_even_number_of_values_lies_between_the_two_in_the_middle() {
        assertThat(Statistics.median(4, 1, 100, 2)).isEqualTo(3);
    }

    @Test
    void a_percentile_is_a_value_that_occurred() {
        double[] hundred = new double[100];
        for (int i = 0; i < 100; i++) {
            hundred[i] = 100 - i;
        }
        assertThat(Statistics.percentile(50, hundred)).isEqualTo(50);
        assertThat(Statistics.percentile(99, hundred)).isEqualTo(99);
        assertThat(Statistics.percentile(100, hundred)).isEqualTo(100);
        assertThat(Statistics.percentile(99, 7)).isEqualTo(7);
    }

    @Test
    void nothing_has_no_statistics() {
        assertThatIllegalArgumentException().isThrownBy(Statistics::median);
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.percentile(50));
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.percentile(0, 1));
    }
}
