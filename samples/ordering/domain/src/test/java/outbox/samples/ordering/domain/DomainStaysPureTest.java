package outbox.samples.ordering.domain;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

class DomainStaysPureTest {

    private static final String DOMAIN = "outbox.samples.ordering.domain";

    @Test
    void domain_code_depends_on_outbox_domain_and_the_jdk_alone() {
        JavaClasses domain = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(DOMAIN);

        assertThat(domain.contain(Order.class)).isTrue();
        classes()
                .that()
                .resideInAPackage(DOMAIN)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(DOMAIN, "outbox.domain", "java.lang..", "java.math", "java.time", "java.util..")
                .check(domain);
    }
}
