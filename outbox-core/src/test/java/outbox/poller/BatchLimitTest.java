package outbox.poller;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BatchLimitTest {

    private final BatchLimit limit = new BatchLimit(100);

    @Test
    void a_batch_and_what_there_is_room_for_are_the_limit() {
        assertThat(limit.limit(Integer.MAX_VALUE)).isEqualTo(100);
        assertThat(limit.limit(7)).isEqualTo(7);
        assertThat(limit.limit(-1)).isEqualTo(-1);
    }

    @Test
    void what_did_not_fit_is_halved_until_it_does_and_grows_again_when_it_has() {
        limit.didNotFit(100);
        assertThat(limit.limit(1_000)).isEqualTo(50);
        limit.didNotFit(3);
        assertThat(limit.limit(1_000)).isEqualTo(1);
        limit.didNotFit(1);
        assertThat(limit.limit(1_000)).isEqualTo(1);
        limit.fitted(1, 0);
        assertThat(limit.limit(1_000)).as("an empty poll proves nothing").isEqualTo(1);
        limit.fitted(1, 1);
        assertThat(limit.limit(1_000)).isEqualTo(2);
        limit.fitted(1, 1);
        assertThat(limit.limit(1_000)).as("less than allowed proves nothing").isEqualTo(2);
        for (int i = 0; i < 10; i++) {
            limit.fitted(limit.limit(1_000), limit.limit(1_000));
        }
        assertThat(limit.limit(1_000)).isEqualTo(100);
    }
}
