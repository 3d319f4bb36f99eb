package outbox.cluster.order;

import java.util.Map;
import java.util.Random;
import outbox.EventEnvelope;
import outbox.util.JsonCodec;

/**
 * What an event tells of itself and of how its listener shall behave, in its payload.
 *
 * @param failures how often it fails before it is well
 * @param slowMillis how long its listener takes
 */
record Script(String key, long n, int index, Fate fate, int failures, int slowMillis) {

    static Script random(String key, long n, int index, Random random) {
        return new Script(
                key,
                n,
                index,
                fate(key, random),
                failures(random),
                random.nextInt(60) == 0 ? 10 + random.nextInt(70) : 0);
    }

    private static Fate fate(String key, Random random) {
        if (random.nextInt(150) != 0) {
            return Fate.WELL;
        }
        boolean held = key != null && key.startsWith(CommittedEvent.HOLDING);
        return held && random.nextBoolean() ? Fate.CURABLE : Fate.POISON;
    }

    private static int failures(Random random) {
        return switch (random.nextInt(60)) {
            case 0, 1, 2 -> 1;
            case 3 -> 2;
            default -> 0;
        };
    }

    String toJson() {
        return JsonCodec.getDefault()
                .toJson(Map.of(
                        "key", String.valueOf(key),
                        "n", Long.toString(n),
                        "index", Integer.toString(index),
                        "fate", fate.name(),
                        "failures", Integer.toString(failures),
                        "slow", Integer.toString(slowMillis)));
    }

    static Script of(EventEnvelope event) {
        Map<String, String> payload = JsonCodec.getDefault().parseObject(event.payloadJson());
        return new Script(
                payload.get("key"),
                Long.parseLong(payload.get("n")),
                Integer.parseInt(payload.get("index")),
                Fate.valueOf(payload.get("fate")),
                Integer.parseInt(payload.get("failures")),
                Integer.parseInt(payload.get("slow")));
    }
}
