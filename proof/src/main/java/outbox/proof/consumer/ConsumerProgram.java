package outbox.proof.consumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.inbox.Acquisition;
import outbox.inbox.ConsumeOptions;
import outbox.inbox.ConsumeResult;
import outbox.inbox.DefaultEventHandlerTemplate;
import outbox.inbox.EventHandlerTemplate;
import outbox.inbox.TransactionRunner;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.proof.process.Orders;
import outbox.proof.process.ProcessPool;
import outbox.proof.process.ScriptPlayer;
import outbox.proof.process.ThrowingLog;
import outbox.proof.process.Trouble;
import outbox.proof.process.Vitals;

/** A consumer in a process of its own. Takes events by HTTP and says OK when they are handled, now or earlier. */
public final class ConsumerProgram {

    private static final int THREADS = 16;
    private static final int CONNECTIONS = 12;
    private static final int OK = 200;
    private static final int NOT_YET = 503;
    private static final int SECONDS_TO_ANSWER = 1;
    private static final int SECONDS_TO_END = 30;

    private final ConsumerSettings settings;
    private final ProcessPool pool;
    private final ScriptPlayer scripts;
    private final ThreadLocalTxContext transactions = new ThreadLocalTxContext();
    private final EventHandlerTemplate template;
    private final ConsumeOptions options;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final @Nullable Gathering gathering;
    private final HttpServer door;

    private ConsumerProgram(ConsumerSettings settings, Orders orders) throws IOException {
        this.settings = settings;
        this.pool = new ProcessPool(settings.process(), orders);
        this.scripts = new ScriptPlayer(settings.process(), new Trouble(orders));
        ThrowingLog.on(orders);
        DataSource connections = pool.careful(CONNECTIONS);
        JdbcTransactionManager manager =
                new JdbcTransactionManager(new DataSourceConnectionProvider(connections), transactions);
        this.template = new DefaultEventHandlerTemplate(
                JdbcInbox.on(connections, transactions).repository(), transactions, TransactionRunner.of(manager));
        // How often an event is tried is up to the outbox.
        this.options = ConsumeOptions.retriedBySender()
                .withMaxRetry(Integer.MAX_VALUE)
                .withAcquisition(settings.consuming() == Consuming.LEASE ? Acquisition.LEASE : Acquisition.TRANSACTION)
                .withLockTtl(settings.lockTtl());
        this.gathering = settings.consuming() == Consuming.BATCH ? new Gathering(this::consumeTogether) : null;
        this.door = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()), /* default backlog */ 0);
        door.setExecutor(threads);
        door.createContext("/", this::answer);
        door.start();
        orders.on("clock", time -> {}) // it asks nobody but its database for the time
                .on("write-bad-texts", time -> {}) // nor does it write events
                .on("sample", none -> Orders.say("sample " + Vitals.of(pool, 0)))
                .on("stop", none -> stop());
    }

    /** Runs a consumer; the argument is a file of {@link ConsumerSettings}. */
    public static void main(String[] arguments) throws Exception {
        Orders orders = new Orders();
        new ConsumerProgram(ConsumerSettings.read(Path.of(arguments[0])), orders);
        orders.follow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Letter letter = Letter.read(exchange);
            exchange.sendResponseHeaders(consume(letter) ? OK : NOT_YET, /* no body */ -1);
        }
    }

    private boolean consume(Letter letter) {
        try {
            ConsumeResult result = gathering == null ? consumeAlone(letter) : gathering.consume(letter);
            return result.done();
        } catch (RuntimeException | Error e) {
            System.err.println(letter.event().eventId() + " was not handled: " + e);
            return false;
        }
    }

    private ConsumeResult consumeAlone(Letter letter) {
        return template.consume(
                letter.outbox(), letter.event(), transfers(letter.outbox()).oneByOne(), options);
    }

    private List<ConsumeResult> consumeTogether(List<Letter> letters) {
        String outbox = letters.get(0).outbox();
        return template.consumeBatch(outbox, letters.stream().map(Letter::event).toList(), transfers(outbox), options);
    }

    private Transfers transfers(String outbox) {
        return new Transfers(transactions, scripts, outbox, settings.process().name());
    }

    private void stop() throws InterruptedException {
        door.stop(SECONDS_TO_ANSWER);
        threads.shutdown();
        boolean ended = threads.awaitTermination(SECONDS_TO_END, TimeUnit.SECONDS);
        if (gathering != null) {
            gathering.close();
        }
        pool.awaitRelief();
        String connections = pool.taken() == 0 ? "" : "connections:" + pool.taken();
        Orders.say("stopped " + (ended ? connections : "handlers"));
    }
}
