package outbox.config;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "0s, PT0S",
        "5s, PT5S",
        "168h, PT168H",
        "1m30s, PT1M30S",
        "1h1m1s1ms1us1ns, PT1H1M1.001001001S",
        "1.5h, PT1H30M",
        "0.0000000015s, PT0.000000001S",
        "3µs, PT0.000003S",
        "3μs, PT0.000003S",
        "+2s, PT2S",
        "-1m30s, PT-1M-30S",
        "PT1M30S, PT1M30S",
        "pt1m30s, PT1M30S",
        "P7D, PT168H",
        "-P1D, PT-24H",
        "P-1D, PT-24H"
    })
    void both_notations_are_read(String text, Duration expected) {
        assertThat(DurationText.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+",
                "5",
                "s",
                "5 s",
                "5S",
                "1d",
                "1s ",
                "s1",
                "1.s",
                ".5s",
                "1s1",
                "--1s",
                "+-1s",
                "1h;",
                "P",
                "PT",
                "P1M",
                "1_000ms",
                "٣s",
                "9999999999999h",
                "1e3s"
            })
    void everything_else_is_not(String text) {
        assertThat(DurationText.parse(text)).isNull();
    }
}
