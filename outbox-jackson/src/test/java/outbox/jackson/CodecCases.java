package outbox.jackson;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The rules of the built-in codec, kept with each Jackson. */
public abstract class CodecCases {

    private final JsonCodec codec = codec();

    protected abstract JsonCodec codec();

    @Test
    void headers_come_back_in_their_order_with_nulls() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("z", "quote \" and \n");
        headers.put("a", null);
        headers.put("m", "\uD83D\uDE00");

        String json = codec.toJson(headers);

        assertThat(json).isEqualTo("{\"z\":\"quote \\\" and \\n\",\"a\":null,\"m\":\"\uD83D\uDE00\"}");
        assertThat(codec.parseObject(json)).isEqualTo(headers);
        assertThat(List.copyOf(codec.parseObject(json).keySet())).containsExactly("z", "a", "m");
    }

    @Test
    void it_reads_what_the_built_in_codec_writes() {
        Map<String, String> headers = Map.of("trace", "\u0001\u20AC/\\");

        assertThat(codec.parseObject(JsonCodec.getDefault().toJson(headers))).isEqualTo(headers);
        assertThat(JsonCodec.getDefault().parseObject(codec.toJson(headers))).isEqualTo(headers);
    }

    @Test
    void nothing_is_written_as_null_and_read_as_empty() {
        assertThat(codec.toJson(null)).isNull();
        assertThat(codec.toJson(Map.of())).isNull();
        for (String nothing : new String[] {null, "", " ", "null", " null ", "{}"}) {
            assertThat(codec.parseObject(nothing)).isEmpty();
        }
    }

    @Test
    void anything_but_an_object_of_strings_and_nulls_is_refused() {
        for (String wrong : List.of(
                "[]",
                "1",
                "\"text\"",
                "{\"a\":1}",
                "{\"a\":true}",
                "{\"a\":{}}",
                "{\"a\":[]}",
                "{\"a\":\"b\"} x",
                "{\"a\":\"b\",}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\ud800\"}",
                "{\"a\":\"b\"")) {
            assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> codec.parseObject(wrong));
        }
    }

    @Test
    void an_error_does_not_quote_the_headers() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.parseObject("{\"a\":secretword}"))
                .withMessageContaining("headers are not JSON, from character")
                .withMessageNotContaining("secretword")
                .withNoCause();
    }

    @Test
    void null_keys_and_halves_of_surrogate_pairs_are_refused() {
        Map<String, String> nullKey = new LinkedHashMap<>();
        nullKey.put(null, "a");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.toJson(nullKey))
                .withMessage("headers cannot contain null keys");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.toJson(Map.of("a", "\uD800")))
                .withMessageContaining("surrogate");
    }
}
