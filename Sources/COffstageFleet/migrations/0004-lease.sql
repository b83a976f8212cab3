-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- SQLSTATE OS001: the caller is fenced. Nothing of what it reported was taken.

-- Makes a member, or lets one come back: whatever an earlier incarnation held is given back.
CREATE FUNCTION offstage.join_fleet(
    a_name text, some_labels text[], a_kind smallint, a_protocol integer, a_version text,
    OUT member integer, OUT incarnation integer, OUT lease_seconds integer, OUT fleet uuid
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known offstage.member;
    whole offstage.fleet;
BEGIN
    SELECT * INTO STRICT whole FROM offstage.fleet;
    IF EXISTS (SELECT FROM unnest(some_labels) l WHERE l LIKE 'member=%') THEN
        RAISE EXCEPTION 'the label member= is the member''s own name' USING ERRCODE = '22023';
    END IF;
    IF a_protocol < whole.least_protocol THEN
        RAISE EXCEPTION 'this fleet is for members of protocol % and later', whole.least_protocol USING ERRCODE = 'OS003';
    END IF;
    INSERT INTO offstage.member (name, login, labels, kind, protocol, version)
    VALUES (a_name, session_user, some_labels || ('member=' || a_name), a_kind, a_protocol, a_version)
    ON CONFLICT (name) DO NOTHING RETURNING * INTO known;
    IF NOT FOUND THEN
        UPDATE offstage.member m
        SET labels = some_labels || ('member=' || a_name), kind = a_kind, protocol = a_protocol, version = a_version,
            incarnation = m.incarnation + 1, beat = 0, state = CASE m.state WHEN 3 THEN 0 ELSE m.state END,
            seen_at = now(), alive_until = now(), held = 0
        WHERE m.name = a_name AND m.login = session_user RETURNING * INTO known;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the name is another login''s member' USING ERRCODE = 'OS002';
        END IF;
        PERFORM offstage.recover(known.id, 2147483647);
    END IF;
    member := known.id;
    incarnation := known.incarnation;
    lease_seconds := whole.lease_seconds;
    fleet := whole.id;
END
$$;

-- Gives back rows that an earlier incarnation of a member held. Of those whose requests must not be repeated, and may have
-- been sent, nobody knows what became: they end so. Those that a person has cancelled end as well.
CREATE FUNCTION offstage.recover(a_member integer, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ids bigint[];
    lanes integer[];
BEGIN
    WITH theirs AS (
        SELECT l.id, l.lane, l.fence, l.member, l.incarnation, l.is_repeatable, l.wanted,
            CASE WHEN l.is_begun AND NOT l.is_repeatable THEN 13 WHEN l.wanted = 1 THEN 12
                WHEN l.wanted = 2 THEN 3 WHEN l.fence % 1024 >= f.most_leases THEN 11 ELSE 0 END::smallint AS fate
        FROM offstage.line l JOIN offstage.member m ON m.id = l.member CROSS JOIN offstage.fleet f
        WHERE l.member = a_member AND l.state = 1 AND l.incarnation < m.incarnation
        ORDER BY l.id LIMIT most FOR UPDATE OF l
    ), over AS (
        DELETE FROM offstage.line l USING theirs t WHERE l.id = t.id AND t.fate > 9 RETURNING l.id
    ), told AS (
        INSERT INTO offstage.ended (id, lane, fence, member, incarnation, result, is_repeatable, detail)
        SELECT t.id, t.lane, t.fence, t.member, t.incarnation, t.fate - 10, t.is_repeatable, CASE t.fate
            WHEN 13 THEN 'its member was lost after it may have sent the request, which must not be repeated'
            WHEN 11 THEN 'its members were lost, or left, again and again: the last one under lease ' || t.fence % 1024
            ELSE 'cancelled; its member was lost, and may have sent the file before' END
        FROM theirs t WHERE t.fate > 9
    ), back AS (
        UPDATE offstage.line l
        SET state = t.fate, member = NULL, incarnation = NULL, is_begun = false, wanted = 0, since = now(),
            note = 'its member stopped renewing its lease'
        FROM theirs t WHERE l.id = t.id AND t.fate < 9
        RETURNING l.id
    ), counted AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT t.lane, 1, -count(*) FROM theirs t GROUP BY t.lane
        UNION ALL SELECT t.lane, t.fate, count(*) FROM theirs t GROUP BY t.lane, t.fate
    )
    SELECT array_agg(t.id), array_agg(DISTINCT t.lane) FILTER (WHERE t.fate = 0) INTO ids, lanes FROM theirs t;
    DELETE FROM offstage.slot s WHERE s.id = ANY (ids);
    DELETE FROM offstage.memory k WHERE k.id = ANY (ids) AND NOT EXISTS (SELECT FROM offstage.line l WHERE l.id = k.id);
    IF cardinality(lanes) > 0 THEN
        PERFORM offstage.rouse(lanes);
    END IF;
    RETURN coalesce(cardinality(ids), 0);
END
$$;

-- What somebody has to do now and then: silent members are fenced and their rows given back, rows whose time has come wait
-- again, and changes are added up. Any member does it on its turn, if nobody has for a while.
CREATE FUNCTION offstage.sweep() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whole offstage.fleet;
    one record;
    lanes integer[];
BEGIN
    SELECT * INTO whole FROM offstage.fleet;
    IF whole.swept_at > now() - make_interval(secs => least(5, whole.lease_seconds / 4.0)) THEN
        RETURN;
    END IF;
    PERFORM FROM offstage.fleet WHERE swept_at = whole.swept_at FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE offstage.fleet SET swept_at = now();

    FOR one IN
        SELECT m.id FROM offstage.member m
        WHERE m.alive_until < now() AND EXISTS (
            SELECT FROM offstage.line l WHERE l.member = m.id AND l.state = 1
        ) ORDER BY m.id LIMIT 100 FOR UPDATE SKIP LOCKED
    LOOP
        -- Fenced first: it may be many rows, and none of them may end from here on.
        UPDATE offstage.member m SET incarnation = m.incarnation + 1 WHERE m.id = one.id AND NOT EXISTS (
            SELECT FROM offstage.line l WHERE l.member = m.id AND l.state = 1 AND l.incarnation < m.incarnation
        );
        PERFORM offstage.recover(one.id, 5000);
    END LOOP;

    WITH due AS (
        SELECT l.id FROM offstage.line l WHERE l.state = 2 AND l.ready_at <= now()
        ORDER BY l.ready_at LIMIT 5000 FOR UPDATE SKIP LOCKED
    ), risen AS (
        UPDATE offstage.line l SET state = 0, ready_at = NULL, since = now() FROM due WHERE l.id = due.id
        RETURNING l.lane
    )
    SELECT array_agg(lane) INTO lanes FROM risen;
    IF cardinality(lanes) > 0 THEN
        PERFORM offstage.count_change(lanes, 2::smallint, -1);
        PERFORM offstage.count_change(lanes, 0::smallint, 1);
        PERFORM offstage.rouse(ARRAY(SELECT DISTINCT l FROM unnest(lanes) l));
    END IF;

    WITH gone AS (
        DELETE FROM offstage.change c RETURNING c.*
    )
    INSERT INTO offstage.tally (lane, state, rows)
    SELECT g.lane, g.state, sum(g.rows) FROM gone g GROUP BY g.lane, g.state
    ON CONFLICT (lane, state) DO UPDATE SET rows = tally.rows + excluded.rows;
END
$$;

-- Refuses a caller that is not this incarnation of a member.
CREATE FUNCTION offstage.check_member(a_member integer, an_incarnation integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM offstage.member m
    WHERE m.id = a_member AND m.incarnation = an_incarnation AND m.login = session_user AND m.state < 3;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this member is fenced: it has to join again' USING ERRCODE = 'OS001';
    END IF;
END
$$;

-- A member's turn, its one query while it has nothing to report: renews the lease of all that it holds, gives it up to
-- `more` rows, and says what persons want of rows that it has.
--
-- kind 0: a row that it holds from now on. 1: what is wanted of one that it holds (`fence` and `wanted`). 2: rules that
-- have changed since `rules_seen` (`id` is their version, `path` their name, `spec` the JSON). 3: the member's own state, if
-- it takes no rows (`id`), and whether rows wait that a limit of their server keeps from it (`wanted` is 1): nobody is told
-- when that ends.
CREATE FUNCTION offstage.turn(
    a_member integer, an_incarnation integer, a_beat bigint, lease_for double precision, holds integer, more integer,
    rules_seen bigint
)
RETURNS TABLE (
    kind smallint, id bigint, fence integer, wanted smallint, priority smallint, bytes bigint, is_repeatable boolean,
    path text, spec text, sealed bytea, memory bytea, host text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me offstage.member;
    one record;
    left_over integer := least(more, 1000);
    given bigint[] := '{}';
    got bigint[];
    most_here integer;
    allowed integer;
    is_held_back boolean := false;
    whole offstage.fleet;
BEGIN
    SELECT * INTO whole FROM offstage.fleet;
    UPDATE offstage.member m
    SET alive_until = now() + make_interval(secs => greatest(1, least(lease_for, 3600))), seen_at = now(), beat = a_beat,
        held = holds, room = more
    WHERE m.id = a_member AND m.incarnation = an_incarnation AND m.login = session_user AND m.state < 3 AND m.beat < a_beat
        AND m.protocol >= whole.least_protocol
    RETURNING m.* INTO me;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this member is fenced: it has to join again' USING ERRCODE = 'OS001';
    END IF;
    PERFORM offstage.sweep();

    IF me.state = 0 AND me.kind = 0 AND left_over > 0 THEN
        -- The lanes by the priority of their first row. Lanes of one priority share, and each member begins with another.
        FOR one IN
            SELECT busy.*, max(busy.head) OVER (
                    ORDER BY busy.head RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                ) AS lower,
                count(*) OVER (PARTITION BY busy.head) - row_number() OVER (
                    PARTITION BY busy.head ORDER BY busy.turn
                ) + 1 AS sharing
            FROM (
                SELECT lane.id, lane.version, lane.host, head.priority::integer AS head,
                    (lane.id * 7919::bigint + a_member * 104729::bigint + a_beat % 1000000) % 1000003 * 48271 % 1000003 AS turn
                FROM offstage.lane lane JOIN offstage.queue q ON q.name = lane.queue AND q.paused_at IS NULL
                    LEFT JOIN LATERAL (
                        SELECT l.priority FROM offstage.line l WHERE l.lane = lane.id AND l.state = 0
                        ORDER BY l.priority DESC, l.id LIMIT 1
                    ) head ON true
                WHERE NOT lane.is_idle AND lane.requires <@ me.labels
            ) busy
            ORDER BY busy.head DESC NULLS LAST, busy.turn
        LOOP
            EXIT WHEN left_over <= 0;
            IF one.head IS NULL THEN
                -- Nothing waits: nobody looks again until the version has grown. Who fills the lane at this moment has it
                -- locked, and it stays busy.
                UPDATE offstage.lane n SET is_idle = true WHERE n.id = (
                    SELECT v.id FROM offstage.lane v WHERE v.id = one.id AND v.version = one.version
                    FOR UPDATE SKIP LOCKED
                );
                CONTINUE;
            END IF;
            allowed := (left_over + one.sharing - 1) / one.sharing;
            SELECT h.most INTO most_here FROM offstage.host h WHERE h.name = one.host AND h.most IS NOT NULL;
            IF FOUND THEN
                -- One member at a time, so that the limit holds; whoever finds it locked has another turn.
                is_held_back := true;
                SELECT h.most INTO most_here FROM offstage.host h WHERE h.name = one.host FOR UPDATE SKIP LOCKED;
                CONTINUE WHEN NOT FOUND;
                allowed := least(
                    allowed, most_here - (SELECT count(*) FROM offstage.slot s WHERE s.host = one.host)::integer
                );
                CONTINUE WHEN allowed <= 0;
            END IF;
            WITH chosen AS (
                SELECT l.id FROM offstage.line l
                WHERE l.lane = one.id AND l.state = 0 AND l.priority >= coalesce(one.lower, 0)
                ORDER BY l.priority DESC, l.id LIMIT allowed FOR UPDATE SKIP LOCKED
            ), taken AS (
                UPDATE offstage.line l
                SET state = 1, member = a_member, incarnation = an_incarnation, fence = l.fence + 1, is_begun = false,
                    since = now()
                FROM chosen WHERE l.id = chosen.id
                RETURNING l.id
            )
            SELECT coalesce(array_agg(t.id), '{}') INTO got FROM taken t;
            CONTINUE WHEN got = '{}';
            IF most_here IS NOT NULL THEN
                INSERT INTO offstage.slot (id, host) SELECT s, one.host FROM unnest(got) s
                ON CONFLICT (id) DO UPDATE SET host = excluded.host;
            END IF;
            INSERT INTO offstage.change (lane, state, rows)
            VALUES (one.id, 0, -cardinality(got)), (one.id, 1, cardinality(got));
            left_over := left_over - cardinality(got);
            given := given || got;
        END LOOP;
    END IF;

    RETURN QUERY
        SELECT 0::smallint, l.id, l.fence, l.wanted, l.priority, i.bytes, i.is_repeatable, i.path, i.spec, i.sealed, k.body,
            n.host
        FROM unnest(given) g JOIN offstage.line l ON l.id = g JOIN offstage.item i ON i.id = g
            JOIN offstage.lane n ON n.id = l.lane LEFT JOIN offstage.memory k ON k.id = g
        ORDER BY l.priority DESC, l.id;
    RETURN QUERY
        SELECT 1::smallint, l.id, l.fence, l.wanted, l.priority, NULL::bigint, l.is_repeatable, NULL::text, NULL::text,
            NULL::bytea, NULL::bytea, NULL::text
        FROM offstage.line l
        WHERE l.member = a_member AND l.wanted <> 0 AND l.state = 1 AND l.incarnation = an_incarnation;
    RETURN QUERY
        SELECT 2::smallint, p.version, NULL::integer, NULL::smallint, NULL::smallint, NULL::bigint, NULL::boolean, p.name,
            CASE WHEN p.requires <@ me.labels THEN p.rules ELSE '{}' END, NULL::bytea, NULL::bytea, NULL::text
        -- Those for others too: they may have been for this member before.
        FROM offstage.policy p WHERE p.version > rules_seen;
    IF me.state <> 0 OR is_held_back THEN
        RETURN QUERY
            SELECT 3::smallint, me.state::bigint, NULL::integer, is_held_back::integer::smallint, NULL::smallint, NULL::bigint,
                NULL::boolean, NULL::text, NULL::text, NULL::bytea, NULL::bytea, NULL::text;
    END IF;
END
$$;

-- All rows that a member holds, for one that has lost an answer or a connection: what it carries out and does not find here
-- is no longer its own. A turn that it asked for before, over a connection that it has given up, takes no rows any more: it
-- has ended, or is refused for its beat.
CREATE FUNCTION offstage.held(a_member integer, an_incarnation integer, a_beat bigint)
RETURNS TABLE (id bigint, fence integer, wanted smallint, is_begun boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    UPDATE offstage.member m SET beat = a_beat
    WHERE m.id = a_member AND m.incarnation = an_incarnation AND m.login = session_user AND m.state < 3 AND m.beat < a_beat;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this member is fenced: it has to join again' USING ERRCODE = 'OS001';
    END IF;
    RETURN QUERY
        SELECT l.id, l.fence, l.wanted, l.is_begun FROM offstage.line l
        WHERE l.member = a_member AND l.state = 1 AND l.incarnation = an_incarnation;
END
$$;

-- One row that a member holds, as it was leased: for one that has lost the answer.
CREATE FUNCTION offstage.leased(a_member integer, an_incarnation integer, these bigint[])
RETURNS TABLE (
    id bigint, fence integer, priority smallint, bytes bigint, is_repeatable boolean, path text, spec text, sealed bytea,
    memory bytea, host text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    RETURN QUERY
        SELECT l.id, l.fence, l.priority, i.bytes, i.is_repeatable, i.path, i.spec, i.sealed, k.body, n.host
        FROM offstage.line l JOIN offstage.item i ON i.id = l.id JOIN offstage.lane n ON n.id = l.lane
            LEFT JOIN offstage.memory k ON k.id = l.id
        WHERE l.id = ANY (these) AND l.member = a_member AND l.state = 1 AND l.incarnation = an_incarnation;
END
$$;

-- Says that requests of rows may be sent from now on.
--
-- Returns the rows for which that was taken: of any other nothing may be sent.
CREATE FUNCTION offstage.begin_rows(a_member integer, an_incarnation integer, ids bigint[], fences integer[])
RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    RETURN QUERY
        UPDATE offstage.line l SET is_begun = true
        FROM unnest(ids, fences) AS r (id, fence)
        WHERE l.id = r.id AND l.fence = r.fence AND l.member = a_member AND l.incarnation = an_incarnation AND l.state = 1
            AND l.wanted <> 1
        RETURNING l.id;
END
$$;

-- Keeps what the dialects of rows must remember, before the requests that depend on it. A row that has nothing to remember
-- (NULL) is only looked for: the answer is the fence.
--
-- Returns the rows for which it was kept: of any other no request must be sent.
CREATE FUNCTION offstage.keep(
    a_member integer, an_incarnation integer, a_beat bigint, ids bigint[], fences integer[], done bigint[], bodies bytea[]
) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ours bigint[];
    late bigint[] := '{}';
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    IF EXISTS (SELECT FROM unnest(bodies) b WHERE b IS NOT NULL) THEN
        -- Locked until the commit: a row cannot be given to another member in between.
        SELECT coalesce(array_agg(held.id), '{}') INTO ours FROM (
            SELECT l.id FROM offstage.line l JOIN unnest(ids, fences) AS r (id, fence) ON l.id = r.id AND l.fence = r.fence
            WHERE l.member = a_member AND l.incarnation = an_incarnation AND l.state = 1
            ORDER BY l.id FOR SHARE OF l
        ) held;
        WITH fresh AS (
            INSERT INTO offstage.memory AS k (id, fence, beat, bytes_done, body)
            SELECT r.id, r.fence, a_beat, r.done, r.body FROM unnest(ids, fences, done, bodies) AS r (id, fence, done, body)
            WHERE r.id = ANY (ours) AND r.body IS NOT NULL
            ORDER BY r.id
            ON CONFLICT (id) DO UPDATE
            SET fence = excluded.fence, beat = excluded.beat, bytes_done = excluded.bytes_done, body = excluded.body, kept_at = now()
            WHERE (k.fence, k.beat) < (excluded.fence, excluded.beat)
            RETURNING k.id
        )
        SELECT coalesce(array_agg(r.id), '{}') INTO late FROM unnest(ids, bodies) AS r (id, body)
        WHERE r.body IS NOT NULL AND r.id NOT IN (SELECT f.id FROM fresh f);
    ELSE
        SELECT coalesce(array_agg(l.id), '{}') INTO ours
        FROM offstage.line l JOIN unnest(ids, fences) AS r (id, fence) ON l.id = r.id AND l.fence = r.fence
        WHERE l.member = a_member AND l.incarnation = an_incarnation AND l.state = 1;
    END IF;
    RETURN QUERY SELECT o FROM unnest(ours) o WHERE o <> ALL (late);
END
$$;

-- Reports ends. Returns the rows for which the report counts, also if it had arrived before: all others are another's.
CREATE FUNCTION offstage.finish(
    a_member integer, an_incarnation integer, ids bigint[], fences integer[], results smallint[], statuses smallint[],
    sent bigint[], details text[], receipts text[]
) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    accepted bigint[];
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    WITH reported AS (
        SELECT * FROM unnest(ids, fences, results, statuses, sent, details, receipts)
            AS r (id, fence, result, status, bytes_sent, detail, receipt)
    ), gone AS (
        DELETE FROM offstage.line l USING reported r
        WHERE l.id = r.id AND l.fence = r.fence AND l.member = a_member AND l.incarnation = an_incarnation AND l.state = 1
        RETURNING l.id, l.lane, l.fence, l.is_repeatable, r.result, r.status, r.bytes_sent, r.detail, r.receipt
    ), told AS (
        INSERT INTO offstage.ended (
            id, lane, fence, member, incarnation, result, status, is_repeatable, bytes_sent, detail, receipt
        )
        SELECT g.id, g.lane, g.fence, a_member, an_incarnation, g.result, g.status, g.is_repeatable, g.bytes_sent,
            g.detail, g.receipt
        FROM gone g
    ), left_lane AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT g.lane, 1, -count(*) FROM gone g GROUP BY g.lane
        UNION ALL
        SELECT g.lane, 10 + g.result, count(*) FROM gone g GROUP BY g.lane, g.result
    )
    SELECT coalesce(array_agg(g.id), '{}') INTO accepted FROM gone g;
    DELETE FROM offstage.memory k WHERE k.id = ANY (accepted);
    DELETE FROM offstage.slot s WHERE s.id = ANY (accepted);
    RETURN QUERY SELECT unnest(accepted);
    IF cardinality(accepted) < cardinality(ids) THEN
        RETURN QUERY
            SELECT e.id FROM offstage.ended e JOIN unnest(ids, fences) AS r (id, fence) ON e.id = r.id AND e.fence = r.fence
            WHERE e.member = a_member AND e.incarnation = an_incarnation AND e.result <> 3 AND e.id <> ALL (accepted);
    END IF;
END
$$;

-- Gives rows back that have not ended: as the member drains, as a person wants, or since another machine may be able to.
-- `after` is in seconds; what was kept of a row stays for the next member.
--
-- Returns the rows that were its own.
CREATE FUNCTION offstage.give_back(
    a_member integer, an_incarnation integer, ids bigint[], fences integer[], after double precision[], notes text[]
) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    accepted bigint[];
    lanes integer[];
    most integer;
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    SELECT most_leases INTO most FROM offstage.fleet;
    WITH reported AS (
        SELECT * FROM unnest(ids, fences, after, notes) AS r (id, fence, after, note)
    ), held AS (
        SELECT l.id, l.lane, l.fence, l.wanted, l.is_repeatable, r.after, r.note,
            -- A person who pauses it says nothing against it.
            l.wanted = 1 OR l.wanted = 0 AND l.fence % 1024 >= most AS is_over
        FROM offstage.line l JOIN reported r ON l.id = r.id AND l.fence = r.fence
        WHERE l.member = a_member AND l.incarnation = an_incarnation AND l.state = 1
        FOR UPDATE OF l
    ), over AS (
        DELETE FROM offstage.line l USING held h WHERE l.id = h.id AND h.is_over RETURNING l.id
    ), told AS (
        INSERT INTO offstage.ended (id, lane, fence, member, incarnation, result, is_repeatable, detail)
        SELECT h.id, h.lane, h.fence, a_member, an_incarnation, CASE h.wanted WHEN 1 THEN 2 ELSE 1 END, h.is_repeatable,
            CASE h.wanted WHEN 1 THEN 'cancelled' ELSE left(h.note, 1000) END
        FROM held h WHERE h.is_over
    ), back AS (
        UPDATE offstage.line l
        SET state = CASE WHEN h.wanted = 2 THEN 3 WHEN h.after > 0 THEN 2 ELSE 0 END,
            ready_at = CASE WHEN h.wanted <> 2 AND h.after > 0
                THEN now() + make_interval(secs => least(h.after, 31536000)) END,
            member = NULL, incarnation = NULL, wanted = 0, is_begun = false, since = now(), note = left(h.note, 1000)
        FROM held h WHERE l.id = h.id AND NOT h.is_over
        RETURNING l.id, l.lane, l.state
    ), counted AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT h.lane, 1, -count(*) FROM held h GROUP BY h.lane
        UNION ALL SELECT b.lane, b.state, count(*) FROM back b GROUP BY b.lane, b.state
        UNION ALL SELECT h.lane, CASE h.wanted WHEN 1 THEN 12 ELSE 11 END, count(*) FROM held h
            WHERE h.is_over GROUP BY h.lane, h.wanted
    )
    SELECT (SELECT coalesce(array_agg(h.id), '{}') FROM held h),
        (SELECT array_agg(DISTINCT b.lane) FROM back b WHERE b.state = 0)
    INTO accepted, lanes;
    DELETE FROM offstage.slot s WHERE s.id = ANY (accepted);
    DELETE FROM offstage.memory k WHERE k.id = ANY (accepted) AND NOT EXISTS (
        SELECT FROM offstage.line l WHERE l.id = k.id
    );
    IF cardinality(lanes) > 0 THEN
        PERFORM offstage.rouse(lanes);
    END IF;
    RETURN QUERY SELECT unnest(accepted);
END
$$;

-- The member gives its name up; what it holds is given back.
CREATE FUNCTION offstage.leave_fleet(a_member integer, an_incarnation integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    UPDATE offstage.member m SET state = 3, incarnation = m.incarnation + 1, alive_until = now(), held = 0, room = 0
    WHERE m.id = a_member;
    PERFORM offstage.recover(a_member, 2147483647);
END
$$;

-- A draining member says that it holds nothing any more.
CREATE FUNCTION offstage.drained(a_member integer, an_incarnation integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    UPDATE offstage.member m SET state = 2, held = 0 WHERE m.id = a_member AND m.state = 1 AND NOT EXISTS (
        SELECT FROM offstage.line l WHERE l.member = a_member AND l.state = 1
    );
END
$$;
