package outbox.testservers.processes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs programs that refuse to be run by root: in a user namespace of its own, root looks like nobody. */
public final class OrdinaryUser {

    private OrdinaryUser() {}

    public static Command command(Path program, List<String> arguments) {
        List<String> line = new ArrayList<>();
        if (CurrentUser.isRoot()) {
            line.addAll(List.of("unshare", "-U"));
        }
        line.add(program.toString());
        line.addAll(arguments);
        return new Command(line);
    }
}
