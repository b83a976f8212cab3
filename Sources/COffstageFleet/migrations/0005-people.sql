-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- What people see. Neither a specification nor anything sealed is in it.
CREATE VIEW offstage.row WITH (security_barrier) AS
    SELECT i.id, i.lane, a.queue, a.host, a.requires, i.priority, i.submitter, i.submitted_at, i.label, i.path,
        i.destination, i.bytes, i.is_repeatable,
        CASE WHEN e.id IS NULL THEN l.state ELSE 10 + e.result END AS state,
        coalesce(e.fence, l.fence) AS fence, m.name AS member, l.wanted, l.ready_at,
        coalesce(e.ended_at, l.since) AS since, coalesce(k.bytes_done, e.bytes_sent, 0) AS bytes_done,
        e.status, coalesce(e.detail, l.note) AS detail, e.receipt
    FROM offstage.item i JOIN offstage.lane a ON a.id = i.lane
        LEFT JOIN offstage.line l ON l.id = i.id LEFT JOIN offstage.ended e ON e.id = i.id
        LEFT JOIN offstage.memory k ON k.id = i.id
        LEFT JOIN offstage.member m ON m.id = coalesce(l.member, e.member);

-- A page of rows, newest first: those before an id (NULL for the newest), in some states (NULL for all; `row.state`).
--
-- The ids come first, each kind of state out of an index that is in their order, or short. Asked in one piece, the planner
-- joins all rows before it takes the first fifty, and takes that to be worth compiling.
CREATE FUNCTION offstage.list(before bigint, states integer[], most integer) RETURNS SETOF offstage.row
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
    ids bigint[] := '{}';
    below bigint := coalesce(before, 9223372036854775807);
    length integer := greatest(0, least(most, 1000));
BEGIN
    IF states IS NULL THEN
        ids := ARRAY(SELECT i.id FROM offstage.item i WHERE i.id < below ORDER BY i.id DESC LIMIT length);
    END IF;
    IF 0 = ANY (states) THEN
        -- In the order of the key, of which most wait: `line_waiting` would have to be sorted.
        ids := ids || ARRAY(
            SELECT l.id FROM offstage.line l WHERE l.state + 0 = 0 AND l.id < below ORDER BY l.id DESC LIMIT length
        );
    END IF;
    IF 1 = ANY (states) THEN
        -- All that are under way, out of an index that has no others: the key has them among a million that wait.
        ids := ids || ARRAY(
            SELECT u.id FROM (SELECT l.id FROM offstage.line l WHERE l.state = 1 OFFSET 0) u
            WHERE u.id < below ORDER BY u.id DESC LIMIT length
        );
    END IF;
    IF states && '{2,3}' THEN
        ids := ids || ARRAY(
            SELECT l.id FROM offstage.line l WHERE l.state > 1 AND l.state = ANY (states) AND l.id < below
            ORDER BY l.id DESC LIMIT length
        );
    END IF;
    IF 10 = ANY (states) THEN
        ids := ids || ARRAY(
            SELECT e.id FROM offstage.ended e WHERE e.result = 0 AND e.id < below ORDER BY e.id DESC LIMIT length
        );
    END IF;
    IF states && '{11,12,13}' THEN
        ids := ids || ARRAY(
            SELECT e.id FROM offstage.ended e WHERE e.result <> 0 AND e.result + 10 = ANY (states) AND e.id < below
            ORDER BY e.id DESC LIMIT length
        );
    END IF;
    RETURN QUERY
        SELECT r.*
        FROM (SELECT u.id FROM unnest(ids) AS u (id) ORDER BY u.id DESC LIMIT length) page
            CROSS JOIN LATERAL (SELECT * FROM offstage.row r WHERE r.id = page.id OFFSET 0) r
        ORDER BY r.id DESC;
END
$$;

-- How many rows are in each state, by lane.
CREATE VIEW offstage.count AS
    SELECT a.queue, a.host, a.requires, t.state, sum(t.rows)::bigint AS rows
    FROM (SELECT * FROM offstage.tally UNION ALL SELECT * FROM offstage.change) t JOIN offstage.lane a ON a.id = t.lane
    GROUP BY a.queue, a.host, a.requires, t.state HAVING sum(t.rows) <> 0;

-- A member that holds no rows has a turn in 30 seconds, whatever the lease is: it is silent when it should have had one.
CREATE VIEW offstage.member_state AS
    SELECT m.id, m.name, m.labels, m.kind, m.state, m.protocol, m.version, m.joined_at, m.seen_at, m.alive_until,
        m.alive_until + CASE m.held WHEN 0 THEN interval '35 seconds' ELSE interval '0' END < now() AS is_silent,
        m.held, m.room, m.policy_version, c.at AS condition_at, c.network, c.power, c.waiting, c.running
    FROM offstage.member m LEFT JOIN offstage.condition c ON c.member = m.id;

-- What the sentence of `why` is made of, for one row: its lane's standing, and the members by what speaks against them.
CREATE FUNCTION offstage.why(an_id bigint)
RETURNS TABLE (
    state smallint, queue text, is_queue_paused boolean, host text, host_most integer, host_running bigint,
    requires text[], ahead bigint, ready_at timestamptz, member text, detail text,
    member_state smallint, is_silent boolean, has_room boolean, lacking text[], members bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
    WITH it AS (
        SELECT r.*, q.paused_at IS NOT NULL AS is_queue_paused, h.most AS host_most
        FROM offstage.row r JOIN offstage.queue q ON q.name = r.queue LEFT JOIN offstage.host h ON h.name = r.host
        WHERE r.id = an_id
    ), running AS (
        SELECT count(*) AS rows FROM offstage.slot s JOIN it ON s.host = it.host
    ), ahead AS (
        -- No more than a thousand are counted.
        SELECT count(*) AS rows FROM it, LATERAL (
            SELECT FROM offstage.line l WHERE l.lane = it.lane AND l.state = 0
                AND (l.priority > it.priority OR l.priority = it.priority AND l.id < it.id)
            ORDER BY l.priority DESC, l.id LIMIT 1000
        ) before WHERE it.state = 0
    ), them AS (
        SELECT m.state,
            m.alive_until + CASE m.held WHEN 0 THEN interval '35 seconds' ELSE interval '0' END < now() AS is_silent,
            m.room > 0 AS has_room,
            ARRAY(SELECT r FROM unnest(it.requires) r WHERE r <> ALL (m.labels) ORDER BY r) AS lacking, count(*) AS members
        FROM offstage.member m, it WHERE m.kind = 0 AND it.state IN (0, 2, 3) GROUP BY 1, 2, 3, 4
        ORDER BY cardinality(ARRAY(SELECT r FROM unnest(it.requires) r WHERE r <> ALL (m.labels) ORDER BY r)), 5 DESC
        LIMIT 20
    )
    SELECT it.state::smallint, it.queue, it.is_queue_paused, it.host, it.host_most, running.rows, it.requires, ahead.rows,
        it.ready_at, it.member, it.detail, them.state, them.is_silent, them.has_room, them.lacking, them.members
    FROM it CROSS JOIN running CROSS JOIN ahead LEFT JOIN them ON true
$$;

-- Whether the caller may change a row: its submitter, and whoever operates the fleet.
CREATE FUNCTION offstage.may_change(a_submitter text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT a_submitter = session_user OR pg_has_role(session_user, 'offstage_operator', 'MEMBER')
$$;

-- Wakes the members that hold rows of which something is wanted.
CREATE FUNCTION offstage.rouse_members(members integer[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT offstage.tell('offstage_member', m::text) FROM (SELECT DISTINCT m FROM unnest(members) m) t
$$;

-- Cancels rows, or pauses them (`what` 1 or 2). What is under way is cancelled by its member, which is told.
--
-- Returns the rows that the caller may change and that had not ended.
CREATE FUNCTION offstage.stop_rows(ids bigint[], what smallint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    done bigint[];
    told integer[];
BEGIN
    IF what NOT IN (1, 2) THEN
        RAISE EXCEPTION 'rows can be cancelled or paused' USING ERRCODE = '22023';
    END IF;
    WITH theirs AS (
        SELECT l.id, l.lane, l.state, l.fence, l.is_repeatable, l.member
        FROM offstage.line l JOIN offstage.item i ON i.id = l.id
        WHERE l.id = ANY (ids) AND offstage.may_change(i.submitter) ORDER BY l.id FOR UPDATE OF l
    ), over AS (
        DELETE FROM offstage.line l USING theirs t WHERE l.id = t.id AND t.state <> 1 AND what = 1 RETURNING l.id
    ), ended AS (
        INSERT INTO offstage.ended (id, lane, fence, result, is_repeatable, detail)
        SELECT t.id, t.lane, t.fence, 2, t.is_repeatable, 'cancelled' FROM theirs t WHERE t.state <> 1 AND what = 1
    ), paused AS (
        UPDATE offstage.line l SET state = 3, ready_at = NULL, since = now() FROM theirs t
        WHERE l.id = t.id AND t.state IN (0, 2) AND what = 2
    ), asked AS (
        UPDATE offstage.line l SET wanted = what FROM theirs t WHERE l.id = t.id AND t.state = 1
    ), counted AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT t.lane, t.state, -1 FROM theirs t WHERE t.state <> 1
        UNION ALL
        SELECT t.lane, CASE what WHEN 1 THEN 12 ELSE 3 END, 1 FROM theirs t WHERE t.state <> 1
    )
    SELECT coalesce(array_agg(t.id), '{}'), array_agg(t.member) FILTER (WHERE t.state = 1) INTO done, told FROM theirs t;
    DELETE FROM offstage.memory k WHERE what = 1 AND k.id = ANY (done) AND NOT EXISTS (
        SELECT FROM offstage.line l WHERE l.id = k.id
    );
    PERFORM offstage.rouse_members(told);
    RETURN QUERY SELECT unnest(done);
END
$$;

-- Lets rows go on that are paused or wait for a time, and retries those that have ended without success.
--
-- A fence never shrinks, so that no lease of an earlier life counts. One that is retried begins at the next multiple of 1024, from
-- which its leases are counted: it would fail with the first one otherwise. Returns the rows that wait from now on.
CREATE FUNCTION offstage.retry_rows(ids bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    done bigint[];
    lanes integer[];
BEGIN
    -- Not while partitions are dropped; see prune.
    PERFORM FROM offstage.migration WHERE version = 1 FOR SHARE;
    WITH again AS (
        DELETE FROM offstage.ended e USING offstage.item i
        WHERE e.id = ANY (ids) AND e.result <> 0 AND i.id = e.id AND offstage.may_change(i.submitter)
        RETURNING e.id, e.lane, e.fence, i.priority, e.is_repeatable, e.result
    ), lined AS (
        INSERT INTO offstage.line (id, lane, fence, priority, is_repeatable)
        SELECT a.id, a.lane, (a.fence / 1024 + 1) * 1024, a.priority, a.is_repeatable FROM again a
    ), resting AS (
        SELECT l.id, l.lane, l.state FROM offstage.line l JOIN offstage.item i ON i.id = l.id
        WHERE l.id = ANY (ids) AND l.state IN (2, 3) AND offstage.may_change(i.submitter) FOR UPDATE OF l
    ), woken AS (
        UPDATE offstage.line l SET state = 0, ready_at = NULL, since = now() FROM resting r WHERE l.id = r.id
    ), both_kinds AS (
        SELECT a.id, a.lane, (10 + a.result)::smallint AS state FROM again a UNION ALL SELECT * FROM resting
    ), counted AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT b.lane, b.state, -1 FROM both_kinds b UNION ALL SELECT b.lane, 0, 1 FROM both_kinds b
    )
    SELECT coalesce(array_agg(b.id), '{}'), array_agg(DISTINCT b.lane) INTO done, lanes FROM both_kinds b;
    IF cardinality(lanes) > 0 THEN
        PERFORM offstage.rouse(lanes);
    END IF;
    RETURN QUERY SELECT unnest(done);
END
$$;

-- Says what became of rows whose end is unknown, as a person has found out: 0 done, 1 failed.
CREATE FUNCTION offstage.settle_rows(ids bigint[], a_result smallint) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF a_result NOT IN (0, 1) THEN
        RAISE EXCEPTION 'a row is settled as done or as failed' USING ERRCODE = '22023';
    END IF;
    PERFORM FROM offstage.migration WHERE version = 1 FOR SHARE;
    RETURN QUERY
        WITH known AS (
            UPDATE offstage.ended e SET result = a_result, ended_at = now(), detail = 'settled by ' || session_user
            FROM offstage.item i
            WHERE e.id = ANY (ids) AND e.result = 3 AND i.id = e.id AND offstage.may_change(i.submitter)
            RETURNING e.id, e.lane
        ), counted AS (
            INSERT INTO offstage.change (lane, state, rows)
            SELECT k.lane, 13, -1 FROM known k UNION ALL SELECT k.lane, 10 + a_result, 1 FROM known k
        )
        SELECT k.id FROM known k;
END
$$;

-- For those who operate the fleet: a queue stops or goes on; a server's limit over the fleet (NULL for none); members drain,
-- or take rows again; rules for members with labels.
CREATE FUNCTION offstage.pause_queue(a_name text, is_paused boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO offstage.queue AS q (name, paused_at, paused_by)
    VALUES (a_name, CASE WHEN is_paused THEN now() END, CASE WHEN is_paused THEN session_user END)
    ON CONFLICT (name) DO UPDATE SET paused_at = excluded.paused_at, paused_by = excluded.paused_by;
    IF NOT is_paused THEN
        PERFORM offstage.rouse(ARRAY(SELECT l.id FROM offstage.lane l WHERE l.queue = a_name));
    END IF;
END
$$;

CREATE FUNCTION offstage.limit_host(a_name text, a_most integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO offstage.host AS h (name, most) VALUES (a_name, a_most)
    ON CONFLICT (name) DO UPDATE SET most = excluded.most;
    -- What is under way already counts as well.
    INSERT INTO offstage.slot (id, host)
    SELECT l.id, a_name FROM offstage.line l JOIN offstage.lane a ON a.id = l.lane
    WHERE l.state = 1 AND a.host = a_name AND a_most IS NOT NULL
    -- One that ends at this moment is waited for, and is gone then.
    FOR SHARE OF l
    ON CONFLICT (id) DO NOTHING;
    PERFORM offstage.rouse(ARRAY(SELECT l.id FROM offstage.lane l WHERE l.host = a_name));
END
$$;

CREATE FUNCTION offstage.drain_member(a_name text, is_draining boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    it integer;
BEGIN
    -- Also whoever works for the member.
    UPDATE offstage.member m SET state = CASE WHEN is_draining THEN 1 ELSE 0 END
    WHERE m.name = a_name AND m.state IN (0, 1, 2)
        AND (m.login = session_user OR pg_has_role(session_user, 'offstage_operator', 'MEMBER'))
    RETURNING m.id INTO it;
    IF it IS NOT NULL THEN
        PERFORM offstage.rouse_members(ARRAY[it]);
    END IF;
    RETURN it IS NOT NULL;
END
$$;

CREATE FUNCTION offstage.set_policy(a_name text, some_requires text[], some_rules text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- One at a time: a version that is committed later must not be lower.
    PERFORM FROM offstage.fleet FOR UPDATE;
    INSERT INTO offstage.policy AS p (name, requires, version, rules)
    VALUES (a_name, some_requires, nextval('offstage.policy_version'), some_rules)
    ON CONFLICT (name) DO UPDATE
    SET requires = excluded.requires, version = excluded.version, rules = excluded.rules;
    PERFORM offstage.tell('offstage_member', '');
END
$$;

-- For devices: shows outcomes and conditions. Twice the same is once.
CREATE FUNCTION offstage.show_outcomes(
    a_member integer, an_incarnation integer, transfers bigint[], results smallint[], ends timestamptz[], paths text[],
    destinations text[], sizes bigint[], details text[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    INSERT INTO offstage.mirror (member, transfer, result, ended_at, path, destination, bytes, detail)
    SELECT a_member, t.* FROM unnest(transfers, results, ends, paths, destinations, sizes, details) t
    ON CONFLICT (member, transfer) DO NOTHING;
END
$$;

CREATE FUNCTION offstage.show_condition(
    a_member integer, an_incarnation integer, a_network text, a_power text, some_waiting bigint, some_running bigint
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM offstage.check_member(a_member, an_incarnation);
    INSERT INTO offstage.condition AS c (member, at, network, power, waiting, running)
    VALUES (a_member, now(), a_network, a_power, some_waiting, some_running)
    ON CONFLICT (member) DO UPDATE
    SET at = excluded.at, network = excluded.network, power = excluded.power, waiting = excluded.waiting,
        running = excluded.running;
END
$$;
