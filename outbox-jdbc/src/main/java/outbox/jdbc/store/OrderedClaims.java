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
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.store.KeyLines.Candidate;
import outbox.jdbc.store.KeyLines.Member;
import outbox.spi.LeaseStore.Taken;
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

    private final PendingRows.Query oldest;
    private final PendingRows.Query firstsOfTheirKeys;
    private final Claims claims;
    private final Claims unsuspected;
    private final KeyLines keyLines;

    OrderedClaims(EventTable table, DatabaseTime time) {
        PendingRows pending = new PendingRows(table);
        String free = Claims.free("", time);
        String first = " AND NOT EXISTS (SELECT 1 FROM " + table.name() + " earlier WHERE "
                + JdbcOrderedStore.sameKey("earlier", "candidate") + " AND "
                + JdbcOrderedStore.earlier("earlier", "candidate", table.dialect()) + " AND "
                + JdbcOrderedStore.unfinished("earlier.") + ")";
        this.oldest = pending.query(Candidate.COLUMNS, free);
        this.firstsOfTheirKeys = pending.query(Candidate.COLUMNS, free + first);
        this.claims = Claims.byLease(table, time);
        this.unsuspected = Claims.unsuspected(table, time);
        this.keyLines = new KeyLines(table, time);
    }

    /** What is asked of a claim. */
    record Request(String ownerId, Duration timeout, Duration skipRecent, int limit) {}

    Claimed execute(Connection conn, Request request) throws SQLException {
        int limit = request.limit;
        List<Candidate> seen = candidates(conn, oldest, request);
        if (seen.isEmpty()) {
            return new Claimed(List.of(), false);
        }
        List<List<Member>> lines = lines(conn, request, seen, 0);
        if (seen.size() == limit && countFree(lines) <= limit / 2) {
            addOthers(lines, lines(conn, request, candidates(conn, firstsOfTheirKeys, request), REACH));
        }
        List<List<Member>> wanted = cut(lines, limit);
        if (countFree(wanted) == 0) {
            return new Claimed(List.of(), true);
        }
        List<Run> runs = ShortTransaction.atomically(conn, transaction -> take(transaction, request, wanted));
        int taken = runs.stream().mapToInt(run -> run.events().size()).sum();
        return new Claimed(runs, taken < seen.size());
    }

    private static List<Candidate> candidates(Connection conn, PendingRows.Query query, Request request)
            throws SQLException {
        List<Object> free = Claims.freeParams(request.timeout, request.skipRecent);
        return JdbcTemplate.query(conn, query.sql(), Candidate::of, query.params(free, request.limit));
    }

    /**
     * What may be taken together with the candidates, in order, and what the owner holds before it: a list for each key, and one for each
     * event without a key.
     *
     * @param reach how far to look beyond the candidates
     */
    private List<List<Member>> lines(Connection conn, Request request, List<Candidate> candidates, int reach)
            throws SQLException {
        Map<List<@Nullable String>, Candidate> lastOfKeys = candidates.stream()
                .filter(Candidate::hasKey)
                .collect(Collectors.toMap(Candidate::key, Function.identity(), Candidate::later, LinkedHashMap::new));
        Map<List<@Nullable String>, List<Member>> lines = keyLines.of(conn, request, lastOfKeys.values(), reach);
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

    private List<Run> take(Connection conn, Request request, List<List<Member>> lines) throws SQLException {
        Claims.Params params = Claims.leaseParams(request.ownerId, request.timeout, request.skipRecent);
        Map<String, Taken> locked = lock(conn, params, lines);
        List<Run> runs = new ArrayList<>();
        for (List<Member> line : lines) {
            runs.addAll(runsOf(line, locked));
        }
        assign(conn, request, params, runs, locked);
        return runs;
    }

    /** Followers that an owner let expire had not begun. They are taken as if they had been free, which is worth a statement of its own. */
    private void assign(
            Connection conn, Request request, Claims.Params params, List<Run> runs, Map<String, Taken> locked)
            throws SQLException {
        List<String> suspected = new ArrayList<>();
        List<String> cleared = new ArrayList<>();
        for (Taken taken : runs.stream().flatMap(run -> run.events().stream()).toList()) {
            String id = taken.event().eventId();
            boolean isCleared = taken.suspicion() == null
                    && Objects.requireNonNull(locked.get(id)).suspicion() != null;
            (isCleared ? cleared : suspected).add(id);
        }
        if (!suspected.isEmpty()) {
            claims.assign(conn, params, suspected);
        }
        if (!cleared.isEmpty()) {
            unsuspected.assign(
                    conn, Claims.unsuspectedParams(request.ownerId, request.timeout, request.skipRecent), cleared);
        }
    }

    private Map<String, Taken> lock(Connection conn, Claims.Params params, List<List<Member>> lines)
            throws SQLException {
        List<String> wanted = lines.stream()
                .flatMap(List::stream)
                .filter(member -> !member.mine())
                .map(Member::eventId)
                .toList();
        Map<String, Taken> locked = new HashMap<>();
        for (Taken taken : claims.lockFree(conn, params, wanted)) {
            locked.put(taken.event().eventId(), taken);
        }
        return locked;
    }

    /** What was locked, up to the first gap, in one piece between any two events that the owner holds already. */
    private static List<Run> runsOf(List<Member> line, Map<String, Taken> locked) {
        List<Run> runs = new ArrayList<>();
        Set<String> before = new LinkedHashSet<>();
        boolean newRun = true;
        for (Member member : line) {
            if (!member.mine()) {
                Taken taken = locked.get(member.eventId());
                if (taken == null) {
                    break;
                }
                if (newRun) {
                    runs.add(new Run(new ArrayList<>(), new LinkedHashSet<>(before)));
                }
                boolean isFirst = before.isEmpty();
                runs.get(runs.size() - 1).events().add(isFirst ? taken : new Taken(taken.event(), null));
            }
            newRun = member.mine();
            before.add(member.eventId());
        }
        return runs;
    }
}
