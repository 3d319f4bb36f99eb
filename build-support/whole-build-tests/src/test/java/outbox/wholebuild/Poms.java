package outbox.wholebuild;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What the POMs say of the modules of this build. */
final class Poms {

    private final Map<String, String> directories;

    private Poms(List<String> modules) {
        this.directories = modules.stream().collect(Collectors.toMap(Poms::artifactId, Function.identity()));
    }

    static Poms read() {
        List<String> modules = new ArrayList<>();
        NodeList named = pom("").getElementsByTagName("module");
        for (int i = 0; i < named.getLength(); i++) {
            modules.add(named.item(i).getTextContent());
        }
        return new Poms(modules);
    }

    /** All modules, by their directories below the root. */
    Set<String> modules() {
        return new TreeSet<>(directories.values());
    }

    /** The module and all others of this build that must be compiled before it can run. */
    Set<String> neededToRun(String module) {
        Set<String> needed = new TreeSet<>();
        addNeeded(module, needed);
        return needed;
    }

    private void addNeeded(String module, Set<String> needed) {
        if (!needed.add(module)) {
            return;
        }
        NodeList dependencies = pom(module).getElementsByTagName("dependency");
        for (int i = 0; i < dependencies.getLength(); i++) {
            Element dependency = (Element) dependencies.item(i);
            String other = directories.get(child(dependency, "artifactId"));
            if (other != null && !child(dependency, "scope").equals("test")) {
                addNeeded(other, needed);
            }
        }
    }

    private static String artifactId(String module) {
        return child(pom(module), "artifactId");
    }

    private static String child(Element parent, String name) {
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node.getNodeName().equals(name)) {
                return node.getTextContent();
            }
        }
        return "";
    }

    private static Element pom(String module) {
        Path pom = Sources.root().resolve(module).resolve("pom.xml");
        try (var in = Files.newInputStream(pom)) {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(in)
                    .getDocumentElement();
        } catch (Exception e) {
            throw new AssertionError("Cannot read " + pom, e);
        }
    }
}
