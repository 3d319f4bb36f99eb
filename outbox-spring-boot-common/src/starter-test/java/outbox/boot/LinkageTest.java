package outbox.boot;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The shared jar was compiled against one generation of Spring Boot; everything that it uses of Spring is there in this one too. */
class LinkageTest {

    private static final List<JavaClass> SHARED = new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .withImportOption(location -> !location.contains("/test-classes/"))
                    .importPackages("outbox.boot", "outbox.spring")
                    .stream()
                    .toList();

    @Test
    void every_method_and_constructor_of_spring_that_is_called_exists() {
        Set<String> missing = new TreeSet<>();
        int[] looked = new int[1];
        SHARED.stream()
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .filter(LinkageTest::isOfSpring)
                .forEach(access -> {
                    looked[0]++;
                    AccessTarget target = access.getTarget();
                    if (target.resolveMember().isEmpty()) {
                        missing.add(access.getOriginOwner().getSimpleName() + " -> " + target.getFullName());
                    }
                });
        assertThat(missing).isEmpty();
        assertThat(looked[0]).as("accesses to Spring").isGreaterThan(50);
    }

    @Test
    void every_type_of_spring_that_is_named_exists() {
        Stream<JavaClass> named = SHARED.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(dependency -> dependency.getTargetClass())
                .filter(type -> type.getName().startsWith("org.springframework."));
        assertThat(named.map(JavaClass::getName).distinct().filter(name -> !isThere(name)))
                .isEmpty();
    }

    private static boolean isOfSpring(JavaAccess<?> access) {
        return access.getTargetOwner().getName().startsWith("org.springframework.");
    }

    private static boolean isThere(String name) {
        try {
            Class.forName(name.replace("[]", ""), false, LinkageTest.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
