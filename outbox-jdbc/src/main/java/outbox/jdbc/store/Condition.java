package outbox.jdbc.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A piece of SQL and its parameters. */
record Condition(String sql, List<Object> params) {

    /** Its parameters, followed by those given. */
    Object[] paramsAnd(Object... more) {
        List<Object> all = new ArrayList<>(params);
        Collections.addAll(all, more);
        return all.toArray();
    }
}
