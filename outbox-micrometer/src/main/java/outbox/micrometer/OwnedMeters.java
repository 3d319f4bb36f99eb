package outbox.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The meters that one exporter has registered and may remove again.
 *
 * <p>A registry answers a second registration of a name with the meter that is already there, so that a gauge would go on
 * showing the state of another. Meters are therefore compared by identity: one that was there before is not ours. Names
 * would not do, because filters may change them on the way in.
 *
 * <p>Thread-safe, because meters of new topics come while others are counted.
 */
final class OwnedMeters {

    private final MeterRegistry registry;
    private final Set<Meter> foreign;
    private final List<Meter> owned = new ArrayList<>();
    private boolean removed;

    OwnedMeters(MeterRegistry registry) {
        this.registry = registry;
        this.foreign = metersIn(registry);
    }

    /**
     * Registers one more meter. After {@link #remove()} it does not stay in the registry.
     *
     * @throws IllegalStateException if the registry already had it
     */
    synchronized <M extends Meter> M register(Function<MeterRegistry, M> registration) {
        M meter = registration.apply(registry);
        if (foreign.contains(meter)) {
            throw new IllegalStateException(
                    "Meter \"" + meter.getId().getName()
                            + "\" is already in the registry: share one exporter, close the other one first or choose another namePrefix");
        }
        owned.add(meter);
        if (removed) {
            registry.remove(meter);
        }
        return meter;
    }

    /** Removes from the registry what is ours and still there. */
    synchronized void remove() {
        removed = true;
        Set<Meter> present = metersIn(registry);
        owned.stream().filter(present::contains).forEach(registry::remove);
    }

    private static Set<Meter> metersIn(MeterRegistry registry) {
        Set<Meter> meters = Collections.newSetFromMap(new IdentityHashMap<>());
        meters.addAll(registry.getMeters());
        return meters;
    }
}
