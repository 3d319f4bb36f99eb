package outbox.proof.database;

import java.io.IOException;
import java.sql.SQLException;
import org.h2.tools.Server;

/** Serves H2's databases of a directory until nobody is there to tell it anything. */
final class H2Program {

    private H2Program() {}

    /** Runs it; the arguments are the port and the directory. */
    public static void main(String[] arguments) throws SQLException, IOException {
        Server.createTcpServer("-tcpPort", arguments[0], "-baseDir", arguments[1], "-ifNotExists")
                .start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // nothing is said
        }
        System.exit(0);
    }
}
