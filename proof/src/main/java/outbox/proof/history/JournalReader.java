package outbox.proof.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import outbox.proof.history.Delivery.Result;

/** Reads what a {@link DeliveryJournal} holds once its process has ended. */
public final class JournalReader {

    private final String process;
    private final long processEnd;
    private final Map<String, String[]> running = new HashMap<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final Map<String, String[]> inFlight = new HashMap<>();
    private final List<Flight> flights = new ArrayList<>();
    private final List<FaultWindow> stalls = new ArrayList<>();
    private long lastSign;

    private JournalReader(String process, long processEnd) {
        this.process = process;
        this.processEnd = processEnd;
        this.lastSign = processEnd;
    }

    /** Reads the journal of a process that has ended then; there is none if it died before its first delivery. */
    public static JournalReader read(Path journal, String process, long processEnd) throws IOException {
        JournalReader reader = new JournalReader(process, processEnd);
        if (Files.exists(journal)) {
            reader.take(Files.readString(journal));
        }
        return reader;
    }

    /** Calls of listeners. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /** Times in which the process kept events. */
    public List<Flight> flights() {
        return flights;
    }

    /** Times in which the process, or its database, stood still. */
    public List<FaultWindow> stalls() {
        return stalls;
    }

    /** When the process last wrote something; its end, if it never did. */
    public long lastSign() {
        return lastSign;
    }

    /** A line without an end is not there: the process died while it wrote. */
    private void take(String text) {
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            takeLine(text.substring(from, end).split(" "));
            from = end + 1;
        }
        running.values().forEach(start -> add(start, processEnd, Result.CUT_OFF, 0));
        inFlight.values().forEach(taken -> addFlight(taken, processEnd));
    }

    private void takeLine(String[] words) {
        long nanos = Long.parseLong(words[1]);
        lastSign = nanos;
        switch (words[0]) {
            case DeliveryJournal.START -> running.put(call(words), words);
            case DeliveryJournal.END -> {
                String[] start = running.remove(call(words));
                if (start == null) {
                    throw new IllegalStateException("an end without a beginning: " + String.join(" ", words));
                }
                add(start, nanos, Result.valueOf(words[5]), Long.parseLong(words[6]));
            }
            case DeliveryJournal.TAKEN -> inFlight.put(words[2] + "/" + words[3], words);
            case DeliveryJournal.FREED -> {
                String[] taken = inFlight.remove(words[2] + "/" + words[3]);
                if (taken != null) { // an event may be freed by two, but is kept only once
                    addFlight(taken, nanos);
                }
            }
            case DeliveryJournal.STALLED -> stalls.add(new FaultWindow("stall", null, Long.parseLong(words[2]), nanos));
            default -> throw new IllegalStateException("unknown line: " + String.join(" ", words));
        }
    }

    /** A thread may be in the listener with several events at once. */
    private static String call(String[] words) {
        return words[2] + "/" + words[3] + "/" + words[4];
    }

    private void addFlight(String[] taken, long end) {
        flights.add(new Flight(taken[2], taken[3], process, Long.parseLong(taken[1]), end));
    }

    private void add(String[] start, long end, Result result, long payloadSum) {
        deliveries.add(new Delivery(start[3], start[4], process, Long.parseLong(start[1]), end, result, payloadSum));
    }
}
