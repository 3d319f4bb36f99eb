package outbox.proof.process;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptTest {

    private final Random random = new Random(3);

    @RepeatedTest(20)
    void a_payload_tells_its_script() {
        Script usual = Script.random(random);
        Script bad = Script.failingWithBadText(random);

        assertThat(Script.of(usual.payload(random))).isEqualTo(usual);
        assertThat(Script.of(bad.payload(random))).isEqualTo(bad);
        assertThat(Script.of(bad.largePayload(random))).isEqualTo(bad);
        assertThat(bad.failures()).isPositive();
    }

    @Test
    void a_large_payload_has_nearly_a_million_bytes() {
        assertThat(Script.random(random).largePayload(random)).hasSizeBetween(950_000, 1_000_100);
    }

    @Test
    void events_that_kill_or_wait_tell_it_too() {
        Script head = Script.headOfBacklog(random);
        Script follower = Script.followerInBacklog(random);

        assertThat(Script.of(Script.KILLER.payload(random))).isEqualTo(Script.KILLER);
        assertThat(Script.of(head.shortPayload())).isEqualTo(head);
        assertThat(Script.of(follower.shortPayload())).isEqualTo(follower);
    }
}
