package outbox;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Puts what header providers say into events that are about to be written. */
final class HeadersHook implements WriterHook {

    private final List<HeaderProvider> providers;

    HeadersHook(List<HeaderProvider> providers) {
        this.providers = List.copyOf(providers);
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        Map<String, String> provided = new LinkedHashMap<>();
        for (HeaderProvider provider : providers) {
            provided.putAll(Objects.requireNonNull(provider.headers(), () -> provider + " returned no headers"));
        }
        return provided.isEmpty()
                ? events
                : events.stream().map(event -> with(event, provided)).toList();
    }

    /** What the code has set itself says more than what is current. */
    private static EventEnvelope with(EventEnvelope event, Map<String, String> provided) {
        Map<String, @Nullable String> all = new LinkedHashMap<>(event.headers());
        provided.forEach((key, value) -> {
            if (!all.containsKey(key)) {
                all.put(key, value);
            }
        });
        return all.size() == event.headers().size() ? event : event.withHeaders(all);
    }
}
