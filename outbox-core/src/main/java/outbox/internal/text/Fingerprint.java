package outbox.internal.text;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * By which errors are held to be the same: their classes, those of their causes, and where they were thrown. Not by their messages, which name
 * other things each time, and may quote content.
 */
final class Fingerprint {

    private static final int MOST_CAUSES = 5;
    private static final int MOST_FRAMES = 3;

    /** What everybody calls, and what is called in most ways. */
    private static final List<String> NOBODYS = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

    private Fingerprint() {}

    static String of(Throwable error) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        StringBuilder print = new StringBuilder();
        for (Throwable each = error; each != null && seen.size() < MOST_CAUSES && seen.add(each); ) {
            print.append(print.isEmpty() ? "" : ", caused by ")
                    .append(each.getClass().getName());
            print.append(places(each, seen.size() == 1 ? MOST_FRAMES : 1));
            each = each.getCause();
        }
        return StoredText.inOneLine(print.toString());
    }

    private static String places(Throwable error, int most) {
        return Stream.of(error.getStackTrace())
                .filter(frame -> NOBODYS.stream().noneMatch(frame.getClassName()::startsWith))
                .limit(most)
                .map(frame -> " at " + frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining());
    }
}
