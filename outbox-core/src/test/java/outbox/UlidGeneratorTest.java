package outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UlidGeneratorTest {

    private static final long EXAMPLE_TIME = 1_469_918_176_385L;

    private final AtomicLong clock = new AtomicLong(EXAMPLE_TIME);

    @Test
    void is_26_characters_of_crockfords_alphabet() {
        UlidGenerator ids = new UlidGenerator();

        for (int i = 0; i < 1_000; i++) {
            assertThat(ids.next()).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}");
        }
    }

    @Test
    void starts_with_the_time() {
        assertThat(generator(0, 0).next()).isEqualTo("01ARYZ6S41" + "0000000000000000");
    }

    @Test
    void ends_with_the_random_bits() {
        assertThat(generator(0xFFFF_FFFFL, -1).next()).isEqualTo("01ARYZ6S41" + "ZZZZZZZZZZZZZZZZ");
        assertThat(generator(1, 2).next()).isEqualTo("01ARYZ6S41" + "000G000000000002");
    }

    @Test
    void grows_by_one_within_a_millisecond() {
        UlidGenerator ids = generator(0, 30);

        assertThat(ids.next()).endsWith("000Y");
        assertThat(ids.next()).endsWith("000Z");
        assertThat(ids.next()).endsWith("0010");
    }

    @Test
    void draws_new_random_bits_when_the_clock_moves_on() {
        UlidGenerator ids = generator(0, 5);
        String first = ids.next();
        clock.incrementAndGet();
        String second = ids.next();

        assertThat(second).isGreaterThan(first).startsWith("01ARYZ6S42").endsWith("0005");
    }

    @Test
    void keeps_growing_when_the_clock_steps_back() {
        UlidGenerator ids = new UlidGenerator(clock::get, new Random(1));
        List<String> made = new ArrayList<>();
        for (long step : new long[] {0, -1, -60_000, -3_600_000, 1, 2, -5}) {
            clock.set(EXAMPLE_TIME + step);
            made.add(ids.next());
            made.add(ids.next());
        }

        assertThat(made).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void carries_into_the_high_random_bits() {
        UlidGenerator ids = generator(0, -1);
        String first = ids.next();

        assertThat(first).isEqualTo("01ARYZ6S41" + "000FZZZZZZZZZZZZ");
        assertThat(ids.next()).isEqualTo("01ARYZ6S41" + "000G000000000000");
    }

    @Test
    void moves_ahead_of_the_clock_when_the_random_bits_are_exhausted() {
        UlidGenerator ids = generator(-1, -1);

        assertThat(ids.next()).isEqualTo("01ARYZ6S41" + "ZZZZZZZZZZZZZZZZ");
        assertThat(ids.next()).isEqualTo("01ARYZ6S42" + "0000000000000000");
        assertThat(ids.next()).isEqualTo("01ARYZ6S42" + "0000000000000001");
    }

    @Test
    void stays_unique_and_monotonic_in_eight_threads() throws Exception {
        int threads = 8;
        int perThread = 20_000;
        UlidGenerator ids = new UlidGenerator();
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            Callable<List<String>> work = () -> {
                List<String> made = new ArrayList<>(perThread);
                start.await(10, TimeUnit.SECONDS);
                for (int i = 0; i < perThread; i++) {
                    made.add(ids.next());
                }
                return made;
            };
            List<Future<List<String>>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(pool.submit(work));
            }
            Set<String> all = new HashSet<>();
            for (Future<List<String>> result : results) {
                List<String> made = result.get(30, TimeUnit.SECONDS);
                assertThat(made).isSorted();
                all.addAll(made);
            }
            assertThat(all).hasSize(threads * perThread);
        } finally {
            pool.shutdownNow();
        }
    }

    /** Random bits that are always the same: the 16 high ones, then the 64 low ones. */
    private UlidGenerator generator(long high, long low) {
        AtomicLong draws = new AtomicLong();
        RandomGenerator fixed = () -> draws.getAndIncrement() % 2 == 0 ? high : low;
        return new UlidGenerator(clock::get, fixed);
    }
}
