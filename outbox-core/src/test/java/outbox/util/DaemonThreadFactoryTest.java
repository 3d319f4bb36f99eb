package outbox.util;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class DaemonThreadFactoryTest {

    @Test
    void threads_are_daemons_numbered_from_one() {
        DaemonThreadFactory factory = new DaemonThreadFactory("worker-");
        Thread first = factory.newThread(() -> {});
        Thread second = factory.newThread(() -> {});

        assertThat(first.getName()).isEqualTo("worker-1");
        assertThat(second.getName()).isEqualTo("worker-2");
        assertThat(first.isDaemon()).isTrue();
        assertThat(first.getState()).isEqualTo(Thread.State.NEW);
    }

    @Test
    void each_factory_has_its_own_numbers() {
        assertThat(new DaemonThreadFactory("a-").newThread(() -> {}).getName()).isEqualTo("a-1");
        assertThat(new DaemonThreadFactory("a-").newThread(() -> {}).getName()).isEqualTo("a-1");
    }

    @Test
    void threads_do_the_given_work() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Thread thread = new DaemonThreadFactory("t-").newThread(() -> done.set(true));
        thread.start();
        thread.join(10_000);

        assertThat(done).isTrue();
    }

    @Test
    void a_prefix_is_required() {
        assertThatNullPointerException().isThrownBy(() -> new DaemonThreadFactory(null));
    }
}
