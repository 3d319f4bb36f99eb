package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.internal.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.KeyLines.Candidate;
import outbox.jdbc.store.KeyLines.Member;
import outbox.model.OutboxEvent;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Run;

/**
 * A claim that takes of each key what follows its finished events without a gap.
 *
 * <p>First it looks, without locks, at the oldest events that are free and due, and at everything unfinished of their keys up to there: of
 * each key the events are wanted that come before the first one which is neither free and due nor the owner's own. Then it locks what it
 * wants and looks again. Whoever has the lock on the first free event of a key is the only one who can take it; what follows in the key is
 * taken only as far as all before it was.
 *
 * <p>Keys that cannot go on may have so many events that a look sees nothing else. Then those events are looked for that are the first of
 * their key, which costs more.
 */
final class OrderedClaims {

    /** How far behind the first event of a key its followers may be, counted in events of all keys, to be taken along with it. */
    private static final int REACH = 10_000;

    private final TableName table;
    private final PendingRows pending;
    private final Claims claims;
    private final LeaseSql sql;
    private final KeyLines keyLines;

    OrderedClaims(EventTable table, LeaseSql sql) {
        this.table = table.name();
        this.pending = new PendingRows(table);
        this.claims = new Claims(table);
        this.sql = sql;
        this.keyLines = new KeyLines(sql, KeyQuery.of(table));
    }

    /** One wish to take events. */
    record Wish(String ownerId, Duration timeout, Duration skipRecent, int limit) {}

    Claimed execute(Connection conn, Wish wish) throws SQLException {
        int limit = wish.limit;
        List<Candidate> seen = oldest(conn, wish);
        if (seen.isEmpty()) {
            return new Claimed(List.of(), false);
        }
        List<List<Member>> lines = lines(conn, wish, seen, 0);
        if (seen.size() == limit && countFree(lines) <= limit / 2) {
            addOthers(lines, lines(conn, wish, firstsOfTheirKeys(conn, wish), REACH));
        }
        List<List<Member>> wanted = cut(lines, limit);
        if (countFree(wanted) == 0) {
            return new Claimed(List.of(), true);
        }
        List<Run> runs = ShortTransaction.atomically(conn, transaction -> take(transaction, wish, wanted));
        int taken = runs.stream().mapToInt(run -> run.events().size()).sum();
        return new Claimed(runs, taken < seen.size());
    }

    private List<Candidate> oldest(Connection conn, Wish wish) throws SQLException {
        Condition free = sql.free(wish.timeout, wish.skipRecent);
        Condition query = pending.select(Candidate.COLUMNS, free, wish.limit);
        return JdbcTemplate.query(
                conn, query.sql(), Candidate::of, query.params().toArray());
    }

    private List<Candidate> firstsOfTheirKeys(Connection conn, Wish wish) throws SQLException {
        Condition free = sql.free(wish.timeout, wish.skipRecent);
        String first = " AND NOT EXISTS (SELECT 1 FROM " + table + " earlier WHERE "
                + JdbcOrderedStore.sameKey("earlier", "candidate") + " AND earlier.seq < candidate.seq AND "
                + JdbcOrderedStore.unfinished("earlier.") + ")";
        Condition query =
                pending.select(Candidate.COLUMNS, new Condition(free.sql() + first, free.params()), wish.limit);
        return JdbcTemplate.query(
                conn, query.sql(), Candidate::of, query.params().toArray());
    }

    /**
     * What may be taken together with the candidates, in order, and what the owner holds before it: a list for each key, and one for each
     * event without a key.
     *
     * @param reach how far to look beyond the candidates
     */
    private List<List<Member>> lines(Connection conn, Wish wish, List<Candidate> candidates, int reach)
            throws SQLException {
        Map<List<@Nullable String>, Candidate> lastOfKeys = candidates.stream()
                .filter(Candidate::hasKey)
                .collect(Collectors.toMap(Candidate::key, Function.identity(), Candidate::later, LinkedHashMap::new));
        Map<List<@Nullable String>, List<Member>> lines = keyLines.of(conn, wish, lastOfKeys.values(), reach);
        List<List<Member>> all = new ArrayList<>();
        for (Candidate candidate : candidates) {
            List<Member> line = candidate.hasKey()
                    ? lines.remove(candidate.key())
                    : List.of(new Member(candidate.eventId(), false));
            if (line != null) {
                all.add(line);
            }
        }
        return all;
    }

    private static void addOthers(List<List<Member>> lines, List<List<Member>> others) {
        Set<String> known =
                lines.stream().flatMap(List::stream).map(Member::eventId).collect(Collectors.toSet());
        others.stream()
                .filter(line -> line.stream().map(Member::eventId).noneMatch(known::contains))
                .forEach(lines::add);
    }

    private static int countFree(List<List<Member>> lines) {
        return (int) lines.stream()
                .flatMap(List::stream)
                .filter(member -> !member.mine())
                .count();
    }

    /** Leaves no more free events than wanted. */
    private static List<List<Member>> cut(List<List<Member>> lines, int limit) {
        List<List<Member>> cut = new ArrayList<>();
        int left = limit;
        for (List<Member> line : lines) {
            List<Member> part = new ArrayList<>();
            for (Member member : line) {
                if (!member.mine() && left-- <= 0) {
                    break;
                }
                part.add(member);
            }
            cut.add(part);
        }
        return cut;
    }

    private List<Run> take(Connection conn, Wish wish, List<List<Member>> lines) throws SQLException {
        Claims.Taking taking = sql.taking(wish.ownerId, wish.timeout, wish.skipRecent);
        Map<String, OutboxEvent> locked = lock(conn, taking, lines);
        List<Run> runs = new ArrayList<>();
        for (List<Member> line : lines) {
            runs.addAll(runsOf(line, locked));
        }
        List<String> taken = runs.stream()
                .flatMap(run -> run.events().stream())
                .map(OutboxEvent::eventId)
                .toList();
        if (!taken.isEmpty()) {
            claims.assign(conn, taking, taken);
        }
        return runs;
    }

    private Map<String, OutboxEvent> lock(Connection conn, Claims.Taking taking, List<List<Member>> lines)
            throws SQLException {
        List<String> wanted = lines.stream()
                .flatMap(List::stream)
                .filter(member -> !member.mine())
                .map(Member::eventId)
                .toList();
        Map<String, OutboxEvent> locked = new HashMap<>();
        for (OutboxEvent event : claims.lockFree(conn, taking, wanted)) {
            locked.put(event.eventId(), event);
        }
        return locked;
    }

    /** What was locked, up to the first gap, in one piece between any two events that the owner holds already. */
    private static List<Run> runsOf(List<Member> line, Map<String, OutboxEvent> locked) {
        List<Run> runs = new ArrayList<>();
        Set<String> before = new LinkedHashSet<>();
        boolean newRun = true;
        for (Member member : line) {
            if (!member.mine()) {
                OutboxEvent event = locked.get(member.eventId());
                if (event == null) {
                    break;
                }
                if (newRun) {
                    runs.add(new Run(new ArrayList<>(), new LinkedHashSet<>(before)));
                }
                runs.get(runs.size() - 1).events().add(event);
            }
            newRun = member.mine();
            before.add(member.eventId());
        }
        return runs;
    }
}
