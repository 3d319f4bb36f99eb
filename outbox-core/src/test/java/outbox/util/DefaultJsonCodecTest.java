package outbox.util;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DefaultJsonCodecTest {

    private static final String EMOJI = "\uD83D\uDE00";

    private final JsonCodec codec = JsonCodec.getDefault();

    @Test
    void the_default_is_one_shared_instance() {
        assertThat(codec).isSameAs(JsonCodec.getDefault()).isInstanceOf(DefaultJsonCodec.class);
        assertThat(new DefaultJsonCodec().toJson(Map.of("a", "b"))).isEqualTo("{\"a\":\"b\"}");
    }

    @Test
    void no_headers_are_no_json() {
        assertThat(codec.toJson(null)).isNull();
        assertThat(codec.toJson(Map.of())).isNull();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  ", "null", " null\n", "{}", " { } "})
    void no_json_is_no_headers(String json) {
        assertThat(codec.parseObject(json)).isEmpty();
    }

    @Test
    void output_is_compact_and_in_the_maps_order() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("z", "1");
        headers.put("a", null);
        headers.put("", "");

        assertThat(codec.toJson(headers)).isEqualTo("{\"z\":\"1\",\"a\":null,\"\":\"\"}");
    }

    @Test
    void what_was_written_is_read_again() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("plain", "value");
        headers.put("null value", null);
        headers.put("quote\" slash\\ /", "\"\\/");
        headers.put("controls", allControlCharacters());
        headers.put("unicode", "é中\u2028\u2029\ufeff\uffff" + EMOJI);
        headers.put(EMOJI, "{\"nested\":[1,2]}");
        Map<String, String> read = codec.parseObject(codec.toJson(headers));

        assertThat(read).isEqualTo(headers);
        assertThat(read.keySet()).containsExactlyElementsOf(headers.keySet());
    }

    @Test
    void every_control_character_is_escaped() {
        String json = codec.toJson(Map.of("k", allControlCharacters()));

        assertThat(json.chars()).allMatch(c -> c >= 0x20);
        assertThat(json).contains("\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u0001", "\\u001f");
    }

    @Test
    void a_null_key_is_rejected() {
        Map<String, String> headers = new HashMap<>();
        headers.put(null, "v");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.toJson(headers))
                .withMessage("headers cannot contain null keys");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE00", "x\uD83Dx", "\uDE00\uD83D"})
    void half_a_surrogate_pair_is_not_written(String broken) {
        assertThatIllegalArgumentException().isThrownBy(() -> codec.toJson(Map.of("k", broken)));
        assertThatIllegalArgumentException().isThrownBy(() -> codec.toJson(Map.of(broken, "v")));
    }

    @Test
    void whitespace_between_tokens_is_accepted() {
        Map<String, String> headers = new HashMap<>();
        headers.put("a", "1");
        headers.put("b", null);

        assertThat(codec.parseObject(" \t\r\n{ \"a\" : \"1\" ,\n\t\"b\"\r:\rnull } \n"))
                .isEqualTo(headers);
    }

    @Test
    void every_escape_is_understood() {
        assertThat(codec.parseObject("{\"k\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u4E2D\\uD83D\\uDE00\"}"))
                .containsEntry("k", "\"\\/\b\f\n\r\tAé中" + EMOJI);
    }

    @Test
    void the_last_of_two_equal_keys_wins() {
        assertThat(codec.parseObject("{\"k\":\"1\",\"k\":\"2\"}")).containsExactly(Map.entry("k", "2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // other kinds of values
                "[]",
                "[\"a\"]",
                "\"a\"",
                "1",
                "true",
                "nul",
                "nullx",
                "{\"k\":1}",
                "{\"k\":-1.5e3}",
                "{\"k\":true}",
                "{\"k\":{}}",
                "{\"k\":{\"n\":\"v\"}}",
                "{\"k\":[]}",
                "{\"k\":nul}",
                "{\"k\":NULL}",
                // structure
                "{",
                "}",
                "{\"k\"",
                "{\"k\":",
                "{\"k\":\"v\"",
                "{\"k\":\"v",
                "{\"k\":\"v\",",
                "{\"k\":\"v\",}",
                "{,}",
                "{,\"k\":\"v\"}",
                "{\"k\":\"v\",,\"l\":\"w\"}",
                "{\"k\" \"v\"}",
                "{\"k\":\"v\" \"l\":\"w\"}",
                "{k:\"v\"}",
                "{'k':'v'}",
                "{null:\"v\"}",
                "{\"k\":nullnull}",
                // what follows
                "{}x",
                "{} {}",
                "{},",
                "{\"k\":\"v\"}}",
                "{\"k\":\"v\"}\u00a0",
                "\u00a0{}",
                // escapes
                "{\"k\":\"\\x\"}",
                "{\"k\":\"\\u12\"}",
                "{\"k\":\"\\u12G4\"}",
                "{\"k\":\"\\u\uff11\uff12\uff13\uff14\"}",
                "{\"k\":\"\\U0041\"}",
                "{\"k\":\"\\",
                "{\"k\":\"\\u",
                // characters
                "{\"k\":\"a\nb\"}",
                "{\"k\":\"a\u0000b\"}",
                "{\"k\":\"a\tb\"}",
                "{\"k\":\"\uD83D\"}",
                "{\"k\":\"\uDE00\"}",
                "{\"\uDE00\":\"v\"}",
                "{\"k\":\"\\uD83D\"}",
                "{\"k\":\"\\uDE00\"}",
                "{\"k\":\"\\uD83Dx\"}",
                "{\"k\":\"\\uDE00\\uD83D\"}"
            })
    void anything_but_a_flat_object_of_strings_is_rejected(String json) {
        assertThatIllegalArgumentException().isThrownBy(() -> codec.parseObject(json));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"secret\":42};expected",
                "{\"secret\":\"secret\"}secret;text after the object",
                "{\"secret\":\"secret\\x\"};unknown escape",
                "{\"secret\":\"secret\\uZZZZ\"};bad unicode escape",
                "{\"secret\":\"secret\\uD83D\"};unpaired surrogate",
                "{\"secret\":\"secret;unexpected end"
            })
    void messages_tell_the_problem_but_never_the_content(String json, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.parseObject(json))
                .withMessageContaining(problem)
                .withMessageNotContaining("secret")
                .withMessageNotContaining("42");
    }

    @Test
    void messages_tell_the_position() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.parseObject("{\"k\":1}"))
                .withMessage("Not a flat JSON object of strings: expected '\"' at position 5 of 7");
    }

    private static String allControlCharacters() {
        StringBuilder text = new StringBuilder();
        for (char c = 0; c <= 0x20; c++) {
            text.append(c);
        }
        return text.append('\u007f').toString();
    }
}
