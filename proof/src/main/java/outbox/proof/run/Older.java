package outbox.proof.run;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import outbox.proof.fault.FaultKind;
import outbox.proof.node.Configuration;

/**
 * An older state of this repository, of which one node runs beside new ones.
 *
 * @param commit how it was named
 * @param classPath where it was compiled
 * @param faults the names of those that it knows
 * @param configurations the names of those that it knows
 */
public record Older(String commit, String classPath, Set<String> faults, Set<String> configurations) {

    /**
     * Attempts are counted in the row, by all nodes together. Older nodes have forty with short pauses, so the new ones beside them have as
     * many; with fewer they would make an event dead that an older one has only just begun to try.
     */
    static final int MAX_ATTEMPTS = 40;

    /** Finds out what it knows. */
    public static Older at(String commit, String classPath) throws IOException, ClassNotFoundException {
        List<URL> places = new ArrayList<>();
        for (String place : classPath.split(File.pathSeparator, -1)) {
            places.add(Path.of(place).toUri().toURL());
        }
        try (URLClassLoader classes =
                new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            return new Older(commit, classPath, names(classes, FaultKind.class), names(classes, Configuration.class));
        }
    }

    private static Set<String> names(ClassLoader classes, Class<? extends Enum<?>> of) throws ClassNotFoundException {
        return Stream.of(classes.loadClass(of.getName()).getEnumConstants())
                .map(constant -> ((Enum<?>) constant).name())
                .collect(Collectors.toSet());
    }

    /** Whether that can be done to its node. */
    boolean knows(FaultKind kind) {
        return faults.contains(kind.name());
    }

    /** Whether its node can be used so. */
    boolean knows(Configuration configuration) {
        return configurations.contains(configuration.name());
    }

    /** Whether that can be done beside it: its node need not know how, unless it may come across it. */
    public boolean bears(FaultKind kind) {
        return knows(kind) || !kind.isForAllNodes();
    }
}
