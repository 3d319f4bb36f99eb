package outbox.testservers;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

@DisplayNameGeneration(DisplayNameGenerator.ReplaceUnderscores.class)
class PackagesTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("outbox.testservers");

    @Test
    void packages_do_not_depend_on_each_other_in_circles() {
        slices().matching("outbox.(**)").should().beFreeOfCycles().check(CLASSES);
    }
}
