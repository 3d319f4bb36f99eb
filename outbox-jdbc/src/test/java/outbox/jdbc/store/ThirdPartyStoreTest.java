package outbox.jdbc.store;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.jdbc.TableName;
import outbox.util.JsonCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A dialect that somebody else adds with the least effort. */
class ThirdPartyStoreTest {

    private static final class MinimalStore extends AbstractJdbcOutboxStore {

        private MinimalStore() {
            super(TableName.DEFAULT, JsonCodec.getDefault());
        }

        @Override
        public String name() {
            return "minimal";
        }

        @Override
        public List<String> jdbcUrlPrefixes() {
            return List.of("jdbc:minimal:");
        }
    }

    @Test
    void recognises_its_urls() {
        assertThat(new MinimalStore().supportsUrl("jdbc:minimal:x")).isTrue();
        assertThat(new MinimalStore().supportsUrl("jdbc:other:x")).isFalse();
    }

    @Test
    void says_what_to_override_before_it_can_have_another_table() {
        assertThatThrownBy(() -> new MinimalStore().newInstance(TableName.of("x"), JsonCodec.getDefault()))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("does not override newInstance");
    }
}
