package outbox.util;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.testsupport.RandomText;
import outbox.testsupport.Seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The codec with any headers and any input. */
class DefaultJsonCodecPropertyTest {

    private static final String JSON_CHARACTERS = "{}[]:,\"\\ \n\tnulltrue0129abcdefu/-+.eE\ud83d\ude00";

    private final JsonCodec codec = JsonCodec.getDefault();

    private static Map<String, String> headers(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            String value = random.nextInt(8) == 0 ? null : RandomText.unicode(random, 20);
            headers.put(RandomText.unicode(random, 8), value);
        }
        return headers;
    }

    @Test
    void any_headers_are_read_as_they_were_written() {
        Seeds.check(8_000, random -> {
            Map<String, String> headers = headers(random);
            String json = codec.toJson(headers);
            Map<String, String> read = codec.parseObject(json);

            assertThat(json == null).isEqualTo(headers.isEmpty());
            assertThat(read).isEqualTo(headers);
            assertThat(List.copyOf(read.keySet())).isEqualTo(List.copyOf(headers.keySet()));
            assertThat(json == null || json.chars().allMatch(c -> c >= 0x20)).isTrue();
        });
    }

    @Test
    void headers_are_written_exactly_if_all_their_surrogates_are_paired() {
        Seeds.check(8_000, random -> {
            String text = RandomText.anything(random, 6);
            Map<String, String> headers = random.nextBoolean() ? Map.of(text, "v") : Map.of("k", text);
            if (RandomText.isPaired(text)) {
                assertThat(codec.parseObject(codec.toJson(headers))).isEqualTo(headers);
            } else {
                assertThatIllegalArgumentException().isThrownBy(() -> codec.toJson(headers));
            }
        });
    }

    @Test
    void garbage_is_read_as_an_object_or_refused_as_documented() {
        Seeds.check(10_000, random -> readOrRefuse(RandomText.anything(random, 30)));
        Seeds.check(10_000, random -> readOrRefuse(RandomText.of(JSON_CHARACTERS, random, 30)));
    }

    @Test
    void json_with_a_few_errors_is_read_as_an_object_or_refused_as_documented() {
        Seeds.check(8_000, random -> {
            Map<String, String> headers = headers(random);
            headers.put("k", "v");
            StringBuilder json = new StringBuilder(codec.toJson(headers));
            for (int errors = 1 + random.nextInt(3); errors > 0 && json.length() > 0; errors--) {
                spoil(json, random);
            }
            readOrRefuse(json.toString());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{", "{\"k\":", "{\"k\":[", "\"", "\\", "{\"k\":\"v\",", "null", " ", "\ud83d"})
    void the_same_again_and_again_needs_little_stack_and_time(String part) {
        String text = part.repeat(200_000);
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            readOrRefuse(text);
            readOrRefuse("{\"k\":" + text);
            readOrRefuse("{\"k\":\"" + text);
        });
    }

    private static void spoil(StringBuilder json, Random random) {
        int at = random.nextInt(json.length());
        switch (random.nextInt(4)) {
            case 0 -> json.deleteCharAt(at);
            case 1 -> json.insert(at, JSON_CHARACTERS.charAt(random.nextInt(JSON_CHARACTERS.length())));
            case 2 -> json.setCharAt(at, (char) random.nextInt(0x10000));
            default -> json.setLength(at);
        }
    }

    /** What is read can be written, and is the same when it is read again. Anything but the documented exception escapes. */
    private void readOrRefuse(String text) {
        Map<String, String> read;
        try {
            read = codec.parseObject(text);
        } catch (IllegalArgumentException documented) {
            return;
        }
        assertThat(codec.parseObject(codec.toJson(read))).isEqualTo(read);
    }
}
