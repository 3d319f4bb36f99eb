package outbox.cluster.order;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The aggregates: a few that are hot, many that are cold; half of each kind are held by a person's leave after a DEAD event. */
final class Keys {

    static final String HELD_TYPE = "Held";
    static final String CONTINUING_TYPE = "Continuing";

    private static final String CONTINUING = "free-";
    private static final int HOT = 6;
    private static final int COLD = 3_000;

    private Keys() {}

    static List<String> all() {
        return Stream.concat(
                        IntStream.range(0, HOT).mapToObj(Keys::hot),
                        IntStream.range(0, COLD).mapToObj(Keys::cold))
                .toList();
    }

    static String random(Random random) {
        return random.nextInt(10) < 3 ? hot(random.nextInt(HOT)) : cold(random.nextInt(COLD));
    }

    static boolean isHot(String key) {
        return key.contains("hot");
    }

    static String aggregateType(String key) {
        return key != null && key.startsWith(CommittedEvent.HOLDING) ? HELD_TYPE : CONTINUING_TYPE;
    }

    private static String hot(int number) {
        return side(number) + "hot-" + number;
    }

    private static String cold(int number) {
        return side(number) + "cold-" + number;
    }

    private static String side(int number) {
        return number % 2 == 0 ? CommittedEvent.HOLDING : CONTINUING;
    }
}
