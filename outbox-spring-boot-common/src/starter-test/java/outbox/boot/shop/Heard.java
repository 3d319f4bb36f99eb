package outbox.boot.shop;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** What listeners were called with, in the order of the calls. */
@Component
public class Heard {

    private static final int PATIENCE_SECONDS = 20;

    private final BlockingQueue<Object> all = new LinkedBlockingQueue<>();

    public void add(Object what) {
        all.add(what);
    }

    /** The next one, which may be still to come. */
    public Object next() {
        try {
            Object next = all.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nobody was called in " + PATIENCE_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What came and was not asked for. */
    public List<Object> rest() {
        return List.copyOf(all);
    }
}
