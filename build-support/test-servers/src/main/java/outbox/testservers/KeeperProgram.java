package outbox.testservers;

import java.io.IOException;
import outbox.testservers.keeper.Keeper;
import outbox.testservers.keeper.RunDirectory;

/** The keeper of the shared servers as a program. */
final class KeeperProgram {

    private KeeperProgram() {}

    /** Runs until the owner, whose process id is the only argument, is gone. */
    public static void main(String[] arguments) throws IOException {
        RunDirectory run = RunDirectory.of(Long.parseLong(arguments[0]));
        Keeper.keep(run, new KeptServers(run));
    }
}
