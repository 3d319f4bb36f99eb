package outbox.proof.process;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** What a process is told through its standard input, a line for each order; it answers on its standard output. */
public final class Orders {

    private static final String STOP = "stop";

    /** Does as told. */
    public interface Order {
        void obey(String argument) throws Exception;
    }

    private final Map<String, Order> known = new HashMap<>();

    /** Adds what to do when that is said. */
    public Orders on(String word, Order order) {
        known.put(word, order);
        return this;
    }

    /** Says that it is ready, obeys until it is told to stop or nobody is there to tell, and ends the process. */
    public void follow() throws Exception {
        say("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int space = line.indexOf(' ');
            String word = space < 0 ? line : line.substring(0, space);
            Order order = known.get(word);
            if (order == null) {
                throw new IllegalArgumentException("unknown order " + line);
            }
            order.obey(line.substring(space + 1));
            if (word.equals(STOP)) {
                break;
            }
        }
        System.exit(0);
    }

    /** Answers. */
    public static synchronized void say(String line) {
        System.out.println(line);
    }

    /** The time that an order's argument tells. */
    public static Duration millis(String argument) {
        return Duration.ofMillis(Long.parseLong(argument));
    }
}
