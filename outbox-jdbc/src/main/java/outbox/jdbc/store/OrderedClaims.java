package outbox.jdbc.store;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.dialect.DatabaseTime;
import outbox.jdbc.store.DueEvents.Candidate;
import outbox.jdbc.store.KeyLines.Line;
import outbox.jdbc.store.KeyLines.Member;
import outbox.spi.LeaseStore.ClaimRequest;
import outbox.spi.LeaseStore.Position;
import outbox.spi.LeaseStore.Start;
import outbox.spi.LeaseStore.Taken;
import outbox.spi.OrderedStore.AggregateKey;
import outbox.spi.OrderedStore.Claimed;
import outbox.spi.OrderedStore.Run;

/**
 * A claim that takes of each key what follows its finished events without a gap.
 *
 * <p>First it looks, without locks, at the events that are free and due longest, and at the first unfinished ones of their keys: of each key
 * the events are wanted that come before the first one which is neither free and due nor the owner's own, but no more than an owner may hold.
 * Then it locks what it wants and looks again. Whoever has the lock on the first free event of a key is the only one who can take it; what
 * follows in the key is taken only as far as all before it was.
 *
 * <p>What it meets of keys that cannot go on for a while is {@linkplain Parking put off}. If it meets little that can be taken, it looks on
 * behind that, at more and more events at once, for some rounds; the next claim goes on from there.
 */
final class OrderedClaims {

    private static final Logger LOG = SafeLog.of(OrderedClaims.class);

    private static final int ROUNDS = 4;
    private static final int GROWTH = 4;
    private static final int LARGEST_ROUND = 5_000;

    /** Longer than any lease lasts. */
    private static final Duration ANY_LEASE = Duration.ofDays(3650);

    private final DueEvents due;
    private final Claims claims;
    private final Claims unsuspected;
    private final KeyLines keyLines;
    private final Parking parking;

    OrderedClaims(EventTable table, DatabaseTime time) {
        this.due = new DueEvents(table, time);
        this.claims = Claims.byLease(table, time);
        this.unsuspected = Claims.unsuspected(table, time);
        this.keyLines = new KeyLines(table, time);
        this.parking = new Parking(table, time);
    }

    Claimed execute(Connection conn, ClaimRequest request, Collection<AggregateKey> continued) throws SQLException {
        boolean commits = conn.getAutoCommit();
        Claim claim = new Claim(request, commits);
        try {
            claim.goOnWith(conn, continued);
            claim.look(conn);
        } catch (Throwable e) {
            if (!commits || claim.runs.isEmpty()) {
                throw e;
            }
            // What is committed as ours would wait for a whole lease if its owner did not hear of it.
            LOG.log(
                    Level.WARNING,
                    "A claim in order failed after it had taken " + claim.taken.size() + " event(s), which it keeps",
                    LoggedError.of(e));
        }
        return claim.result();
    }

    /** Lets the next events of keys that go on be found at once, if they were put off. */
    int bringBack(Connection conn, Collection<AggregateKey> keys) throws SQLException {
        // Nobody's request: what is leased is leased to others.
        ClaimRequest nobody = new ClaimRequest("", ANY_LEASE, Duration.ZERO, 1, Start.BEGINNING);
        return bringBackNext(conn, keyLines.of(conn, nobody, toTheirEnds(keys)).values());
    }

    private static Map<AggregateKey, Long> toTheirEnds(Collection<AggregateKey> keys) {
        Map<AggregateKey, Long> wanted = new LinkedHashMap<>();
        keys.forEach(key -> wanted.put(key, KeyQuery.NO_END));
        return wanted;
    }

    private int bringBackNext(Connection conn, Collection<Line> lines) throws SQLException {
        List<String> next =
                lines.stream().flatMap(line -> line.parked().stream()).toList();
        return next.isEmpty() ? 0 : parking.bringBack(conn, next);
    }

    /** One claim, with what it has found so far. */
    private final class Claim {

        private final ClaimRequest request;
        private final boolean commits;
        private final Claims.Params params;
        private final List<Run> runs = new ArrayList<>();
        private final Set<AggregateKey> known = new LinkedHashSet<>();
        private final Set<String> taken = new LinkedHashSet<>();
        private final Set<String> putOff = new LinkedHashSet<>();
        /** Of what was taken last: before that there is little to be had but of keys that are looked at anyway. */
        private @Nullable Position lowest;

        private @Nullable Position stoppedAt;
        private boolean othersWait;

        /** @param commits whether each step is committed at once */
        Claim(ClaimRequest request, boolean commits) {
            this.request = request;
            this.commits = commits;
            this.params = Claims.leaseParams(request.ownerId(), request.timeout(), request.skipRecent());
        }

        Claimed result() {
            return new Claimed(runs, othersWait, stoppedAt != null, stoppedAt != null ? stoppedAt : lowest, putOff);
        }

        private int left() {
            return request.limit() - taken.size();
        }

        /** Takes the next events of keys that the owner had to leave behind. */
        void goOnWith(Connection conn, Collection<AggregateKey> keys) throws SQLException {
            Map<AggregateKey, Line> lines = keyLines.of(conn, request, toTheirEnds(keys));
            known.addAll(lines.keySet());
            take(conn, List.copyOf(lines.values()));
            bringBackNext(conn, lines.values());
        }

        void look(Connection conn) throws SQLException {
            Position from = request.start().from();
            int rounds = request.start().thorough() ? ROUNDS : 1;
            int size = request.limit();
            for (int round = 1; left() > 0; round++) {
                List<Candidate> seen = due.find(conn, request, from, size);
                int found = seen.isEmpty() ? 0 : takeFrom(conn, seen);
                if (seen.size() < size || found > size / 2) {
                    return;
                }
                from = seen.get(seen.size() - 1).position();
                if (round == rounds) {
                    stoppedAt = request.start().thorough() ? from : null;
                    return;
                }
                size = Math.min(size * GROWTH, Math.max(size, LARGEST_ROUND));
            }
        }

        /** Takes what can be taken, puts off what must wait for long, and returns how many of the candidates were taken. */
        private int takeFrom(Connection conn, List<Candidate> seen) throws SQLException {
            Map<AggregateKey, Long> wanted = new LinkedHashMap<>();
            seen.stream()
                    .filter(candidate -> candidate.key() != null && !known.contains(candidate.key()))
                    .forEach(candidate -> wanted.merge(candidate.key(), candidate.until(), Math::max));
            Map<AggregateKey, Line> lines = keyLines.of(conn, request, wanted);
            known.addAll(lines.keySet());
            take(conn, inOrderOf(seen, lines));
            // What comes next in keys that go on is to be found by the next claim.
            bringBackNext(conn, lines.values());
            park(conn, seen, lines);
            List<Candidate> ofThese =
                    seen.stream().filter(row -> taken.contains(row.eventId())).toList();
            if (!ofThese.isEmpty()) {
                lowest = ofThese.get(0).position();
            }
            othersWait |= ofThese.size() < seen.size();
            return ofThese.size();
        }

        /** A line for each key, and one for each event without a key. */
        private List<Line> inOrderOf(List<Candidate> seen, Map<AggregateKey, Line> lines) {
            Map<AggregateKey, Line> left = new HashMap<>(lines);
            List<Line> inOrder = new ArrayList<>();
            for (Candidate candidate : seen) {
                Line line = candidate.key() == null
                        ? new Line(List.of(new Member(candidate.eventId(), false)), false, List.of(), null)
                        : left.remove(candidate.key());
                if (line != null && !line.open().isEmpty()) {
                    inOrder.add(line);
                }
            }
            return inOrder;
        }

        private void take(Connection conn, List<Line> lines) throws SQLException {
            List<Line> wanted = LineRuns.cut(lines, left());
            if (wanted.stream().noneMatch(line -> line.open().stream().anyMatch(member -> !member.mine()))) {
                return;
            }
            List<Run> won = ShortTransaction.atomically(conn, transaction -> lockAndAssign(transaction, wanted));
            runs.addAll(won);
            won.stream()
                    .flatMap(run -> run.events().stream())
                    .forEach(event -> taken.add(event.event().eventId()));
        }

        private List<Run> lockAndAssign(Connection conn, List<Line> lines) throws SQLException {
            Map<String, Taken> locked = lock(conn, params, lines);
            List<Run> won = new ArrayList<>();
            for (Line line : lines) {
                won.addAll(LineRuns.of(line, locked));
            }
            assign(conn, won, locked);
            return won;
        }

        /** Followers that an owner let expire had not begun. They are taken as if they had been free, which is worth a statement of its own. */
        private void assign(Connection conn, List<Run> won, Map<String, Taken> locked) throws SQLException {
            List<String> suspected = new ArrayList<>();
            List<String> cleared = new ArrayList<>();
            for (Taken event :
                    won.stream().flatMap(run -> run.events().stream()).toList()) {
                String id = event.event().eventId();
                boolean isCleared = event.suspicion() == null
                        && Objects.requireNonNull(locked.get(id)).suspicion() != null;
                (isCleared ? cleared : suspected).add(id);
            }
            if (!suspected.isEmpty()) {
                claims.assign(conn, params, suspected);
            }
            if (!cleared.isEmpty()) {
                unsuspected.assign(
                        conn,
                        Claims.unsuspectedParams(request.ownerId(), request.timeout(), request.skipRecent()),
                        cleared);
            }
        }

        private void park(Connection conn, List<Candidate> seen, Map<AggregateKey, Line> lines) throws SQLException {
            Map<Duration, List<String>> waiting = new LinkedHashMap<>();
            Map<AggregateKey, String> keys = new LinkedHashMap<>();
            for (Candidate candidate : seen) {
                Line line = candidate.key() == null ? Line.EMPTY : lines.getOrDefault(candidate.key(), Line.EMPTY);
                if (candidate.key() != null && line.obstacle() != null) {
                    waiting.computeIfAbsent(
                                    Parking.time(line.obstacle(), candidate.createdAt()), any -> new ArrayList<>())
                            .add(candidate.eventId());
                    keys.put(candidate.key(), candidate.eventId());
                }
            }
            for (Map.Entry<Duration, List<String>> together : waiting.entrySet()) {
                parking.park(conn, together.getValue(), together.getKey());
            }
            if (commits) {
                lookAgain(conn, keys.keySet());
            } else {
                putOff.addAll(keys.values());
            }
        }

        /** Whoever let a key go on meanwhile did not see that its events were being put off. Only what is committed can be seen by both. */
        private void lookAgain(Connection conn, Collection<AggregateKey> keys) throws SQLException {
            bringBackNext(conn, keyLines.of(conn, request, toTheirEnds(keys)).values());
        }
    }

    private Map<String, Taken> lock(Connection conn, Claims.Params params, List<Line> lines) throws SQLException {
        List<String> wanted = lines.stream()
                .flatMap(line -> line.open().stream())
                .filter(member -> !member.mine())
                .map(Member::eventId)
                .toList();
        return claims.lockFree(conn, params, wanted).stream()
                .map(Claims.TakenAt::taken)
                .collect(Collectors.toMap(taken -> taken.event().eventId(), taken -> taken));
    }
}
