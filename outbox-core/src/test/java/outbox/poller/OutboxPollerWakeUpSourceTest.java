package outbox.poller;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.spi.WakeUpSource;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(30)
class OutboxPollerWakeUpSourceTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final Source source = new Source();
    private final OutboxPoller poller = OutboxPoller.builder()
            .connectionProvider(connections)
            .outboxStore(store)
            .handler((event, attempts) -> true)
            .intervalMs(3_600_000)
            .wakeUpSource(source)
            .build();

    @AfterEach
    void stop() {
        poller.close();
        log.close();
    }

    @Test
    void it_listens_only_after_the_start_and_once_however_often_that_is_called() {
        assertThat(source.journal).isEmpty();
        poller.start();
        poller.start();

        assertThat(source.journal).containsExactly("start");
    }

    @Test
    void news_lead_to_a_poll_before_the_interval_has_passed() {
        CountDownLatch first = nextRead();
        poller.start();
        Await.opened(first);
        for (int i = 0; i < 3; i++) {
            CountDownLatch next = nextRead();
            source.wakeUp.run();
            Await.opened(next);
        }
    }

    @Test
    void news_during_a_poll_lead_to_another_one() {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        store.afterRead(() -> {
            reading.countDown();
            Await.opened(goOn);
        });
        poller.start();
        Await.opened(reading);
        CountDownLatch next = nextRead();
        source.wakeUp.run();
        goOn.countDown();

        Await.opened(next);
    }

    @Test
    void it_is_closed_with_the_poller_and_news_that_come_late_do_no_harm() {
        poller.start();
        poller.close();
        long reads = store.reads();
        source.wakeUp.run();

        assertThat(source.journal).containsExactly("start", "close");
        assertThat(store.reads()).isEqualTo(reads);
    }

    @Test
    void a_closed_poller_does_not_listen() {
        poller.close();

        assertThatIllegalStateException().isThrownBy(poller::start);
        assertThat(source.journal).containsExactly("close");
    }

    @Test
    void a_start_that_fails_does_not_listen_and_the_next_one_does() {
        store.failNext(1);
        assertThatThrownBy(poller::start).hasMessage("store is broken");
        assertThat(source.journal).isEmpty();
        poller.start();

        assertThat(source.journal).containsExactly("start");
    }

    @Test
    void a_source_is_not_null() {
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxPoller.builder().wakeUpSource(null))
                .withMessage("wakeUpSource");
    }

    private CountDownLatch nextRead() {
        CountDownLatch read = new CountDownLatch(1);
        store.afterRead(read::countDown);
        return read;
    }

    private static final class Source implements WakeUpSource {

        private final List<String> journal = new CopyOnWriteArrayList<>();
        private volatile Runnable wakeUp = () -> {};

        @Override
        public void start(Runnable onNews) {
            journal.add("start");
            wakeUp = onNews;
        }

        @Override
        public void close() {
            journal.add("close");
        }
    }
}
