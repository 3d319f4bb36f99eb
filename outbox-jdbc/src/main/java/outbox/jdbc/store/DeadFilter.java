package outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which DEAD events are meant; null matches everything. */
record DeadFilter(@Nullable String eventType, @Nullable String aggregateType) {

    String where() {
        return " WHERE status = 3"
                + (eventType == null ? "" : " AND event_type = ?")
                + (aggregateType == null ? "" : " AND aggregate_type = ?");
    }

    /** The parameters of {@link #where()}, followed by those given. */
    Object[] params(Object... more) {
        List<Object> params = new ArrayList<>();
        if (eventType != null) {
            params.add(eventType);
        }
        if (aggregateType != null) {
            params.add(aggregateType);
        }
        Collections.addAll(params, more);
        return params.toArray();
    }
}
