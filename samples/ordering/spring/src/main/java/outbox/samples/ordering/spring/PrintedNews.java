package outbox.samples.ordering.spring;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Prints the news, and lets the program wait for it. */
@Component
class PrintedNews implements News {

    private final Semaphore lines = new Semaphore(0);

    @Override
    public void tell(String line) {
        System.out.println("listener: " + line);
        lines.release();
    }

    void awaitLines(int count) throws InterruptedException {
        if (!lines.tryAcquire(count, 10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The listener was not told within ten seconds");
        }
    }
}
