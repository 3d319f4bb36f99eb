package outbox.wholebuild;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import outbox.internal.text.SafeLog;
import outbox.util.DaemonThreadFactory;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** The direction of dependencies: core knows nobody, jdbc knows core, adapters know core, nobody knows samples. */
class ArchitectureTest {

    private static final String[] CORE = {
        "outbox",
        "outbox.bus",
        "outbox.config",
        "outbox.spi",
        "outbox.model",
        "outbox.dispatch",
        "outbox.poller",
        "outbox.registry",
        "outbox.purge",
        "outbox.dead",
        "outbox.util",
        "outbox.internal.."
    };

    private static final JavaClasses PUBLISHED = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("outbox");

    private static DescribedPredicate<JavaClass> inCore() {
        return resideInAnyPackage(CORE);
    }

    private static DescribedPredicate<JavaClass> inJdk() {
        return resideInAnyPackage("java..", "javax.sql..");
    }

    private static DescribedPredicate<JavaClass> anything(String... packages) {
        return inCore().or(inJdk()).or(resideInAnyPackage(packages)).or(resideInAPackage("org.jspecify.annotations"));
    }

    private static void check(ArchRule rule) {
        rule.check(PUBLISHED);
    }

    @Test
    void every_published_module_is_looked_at() {
        assertThat(PUBLISHED.stream().map(JavaClass::getPackageName))
                .contains(
                        "outbox",
                        "outbox.dispatch",
                        "outbox.internal.outcome",
                        "outbox.jdbc.store",
                        "outbox.inbox",
                        "outbox.inbox.jdbc",
                        "outbox.domain",
                        "outbox.jackson2",
                        "outbox.jackson3",
                        "outbox.spring",
                        "outbox.boot.autoconfigure",
                        "outbox.micrometer",
                        "outbox.testing.contract")
                .noneMatch(name -> name.startsWith("outbox.samples") || name.startsWith("outbox.testservers"));
    }

    @Test
    void core_depends_on_nothing_but_the_jdk() {
        check(classes().that(inCore()).should().onlyDependOnClassesThat(anything()));
    }

    @Test
    void jdbc_depends_on_core_only_and_what_listens_on_postgresqls_driver() {
        check(classes()
                .that()
                .resideInAPackage("outbox.jdbc..")
                .and()
                .resideOutsideOfPackage("outbox.jdbc.wakeup")
                .should()
                .onlyDependOnClassesThat(anything("outbox.jdbc..")));
        check(classes()
                .that()
                .resideInAPackage("outbox.jdbc.wakeup")
                .should()
                .onlyDependOnClassesThat(anything("outbox.jdbc..", "org.postgresql")));
    }

    @Test
    void the_inbox_depends_on_core_and_jdbc_only_and_its_heart_on_core_and_transactions() {
        check(classes()
                .that()
                .resideInAPackage("outbox.inbox..")
                .should()
                .onlyDependOnClassesThat(anything("outbox.inbox..", "outbox.jdbc..")));
        check(noClasses()
                .that()
                .resideInAPackage("outbox.inbox")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("outbox.inbox.jdbc"));
    }

    /**
     * The specification puts three things into the package {@code outbox}: values that everybody knows, the writer, which works through the
     * ports, and beside them is our facade, which looks down on everything. What is told of dead events shows their rows. Each counts as a package
     * of its own here; nobody below knows the facade.
     */
    private static final Set<String> WRITING =
            Set.of("OutboxWriter", "WriterHook", "CountingHook", "HeadersHook", "TransformingHook", "WriterHooks");

    private static final Set<String> TELLING = Set.of("DeadEvent", "DeadEventHandler", "DeadEventInTransaction");

    private static final Set<String> FACADE = Set.of(
            "Outbox",
            "OutboxBuilder",
            "OutboxAssembly",
            "Pauses",
            "ListenerRoutes",
            "RunState",
            "Transactions",
            "CloseInOrder",
            "JoinedWriter",
            "JoinedWriters",
            "JoinedContext");

    @Test
    void packages_do_not_depend_on_each_other_in_circles() {
        check(slices().assignedFrom(packages()).should().beFreeOfCycles());
    }

    private static SliceAssignment packages() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                String name = type.getPackageName();
                return name.equals("outbox") ? SliceIdentifier.of(roomOf(type)) : SliceIdentifier.of(name);
            }

            @Override
            public String getDescription() {
                return "packages";
            }
        };
    }

    private static String roomOf(JavaClass type) {
        String file = type.getName().replaceAll("outbox\\.|\\$.*", "");
        if (FACADE.contains(file)) {
            return "the facade";
        }
        if (TELLING.contains(file)) {
            return "telling of dead events";
        }
        return WRITING.contains(file) ? "writing" : "values";
    }

    @Test
    void domain_events_depend_on_core_only() {
        check(classes()
                .that()
                .resideInAPackage("outbox.domain")
                .should()
                .onlyDependOnClassesThat(anything("outbox.domain")));
    }

    @Test
    void each_jackson_package_depends_on_its_own_jackson_only() {
        check(classes()
                .that()
                .resideInAPackage("outbox.jackson2")
                .should()
                .onlyDependOnClassesThat(anything(
                        "outbox.jackson2", "outbox.jackson.internal", "outbox.domain", "com.fasterxml.jackson..")));
        check(classes()
                .that()
                .resideInAPackage("outbox.jackson3")
                .should()
                .onlyDependOnClassesThat(
                        anything("outbox.jackson3", "outbox.jackson.internal", "outbox.domain", "tools.jackson..")));
    }

    @Test
    void the_spring_adapter_depends_on_core_and_spring_only() {
        check(classes()
                .that()
                .resideInAPackage("outbox.spring..")
                .should()
                .onlyDependOnClassesThat(anything("outbox.spring..", "org.springframework..")));
    }

    /** Those who listen know nothing of how they are configured. */
    @Test
    void listeners_with_spring_depend_on_core_inbox_and_spring_only() {
        check(classes()
                .that()
                .resideInAnyPackage("outbox.boot", "outbox.boot.listener")
                .should()
                .onlyDependOnClassesThat(
                        anything("outbox.boot", "outbox.boot.listener", "outbox.inbox", "org.springframework..")));
    }

    @Test
    void the_micrometer_exporter_depends_on_core_and_micrometer_only() {
        check(classes()
                .that()
                .resideInAPackage("outbox.micrometer..")
                .should()
                .onlyDependOnClassesThat(anything("outbox.micrometer..", "io.micrometer..")));
    }

    @Test
    void the_test_kit_depends_on_core_junit_and_assertj_only() {
        check(classes()
                .that()
                .resideInAPackage("outbox.testing..")
                .should()
                .onlyDependOnClassesThat(anything(
                        "outbox.testing..",
                        "org.junit.jupiter..",
                        "org.opentest4j..",
                        "org.apiguardian..",
                        "org.assertj..")));
    }

    @Test
    void the_poller_does_not_know_the_dispatcher() {
        check(noClasses()
                .that()
                .resideInAPackage("outbox.poller")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("outbox.dispatch"));
    }

    @Test
    void the_ports_know_only_what_they_carry() {
        check(classes()
                .that()
                .resideInAPackage("outbox.spi")
                .should()
                .onlyDependOnClassesThat(inJdk().or(resideInAnyPackage(
                        "outbox", "outbox.spi", "outbox.model", "org.jspecify.annotations"))));
    }

    @Test
    void nothing_prints_or_ends_the_process() {
        check(noClasses()
                .that(not(resideInAPackage("outbox.testing..")))
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err"));
    }

    @Test
    void everything_logs_through_the_platform_logger() {
        check(noClasses().should().dependOnClassesThat().resideInAnyPackage("java.util.logging", "org.slf4j.."));
    }

    /** What a log throws must change the fate of no event, no transaction and no thread. */
    @Test
    void every_logger_is_a_safe_one() {
        check(noClasses()
                .that()
                .doNotBelongToAnyOf(SafeLog.class)
                .should()
                .callMethod(System.class, "getLogger", String.class)
                .orShould()
                .callMethod(System.class, "getLogger", String.class, ResourceBundle.class));
    }

    /** An executor drops a task that fails, and its thread with it, without a word. */
    /** These let nothing escape that would end a thread, and their pools make another one if it did. */
    private static final DescribedPredicate<JavaClass> POOLS = DescribedPredicate.describe(
            "pools",
            type -> Set.of("outbox.dispatch.OwnThreads", "outbox.internal.task.Alarms$OnThread")
                    .contains(type.getName()));

    @Test
    void threads_are_made_only_where_somebody_sees_to_it_that_they_live() {
        check(noClasses()
                .that(inCore())
                .and()
                .doNotBelongToAnyOf(DaemonThreadFactory.class)
                .and(not(POOLS))
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Executor.class)
                .orShould()
                .callConstructor(Thread.class, Runnable.class, String.class)
                .orShould()
                .callConstructor(Thread.class, Runnable.class));
    }
}
