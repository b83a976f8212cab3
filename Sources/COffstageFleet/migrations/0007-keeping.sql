-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- Servers with a limit, and what counts against it.
CREATE FUNCTION offstage.limits() RETURNS TABLE (name text, most integer, running bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.name, h.most, (SELECT count(*) FROM offstage.slot s WHERE s.host = h.name)
    FROM offstage.host h WHERE h.most IS NOT NULL ORDER BY h.name
$$;

-- Since when the first of a lane waits that has waited longest; NULL if none waits.
CREATE FUNCTION offstage.oldest_wait() RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT min(head.since) FROM offstage.lane a JOIN offstage.queue q ON q.name = a.queue AND q.paused_at IS NULL
        CROSS JOIN LATERAL (
            SELECT l.since FROM offstage.line l WHERE l.lane = a.id AND l.state = 0 ORDER BY l.priority DESC, l.id LIMIT 1
        ) head
    WHERE NOT a.is_idle
$$;

-- Drops the partitions whose rows have all ended before a time, and the records of their submissions. The newest stays.
--
-- Returns what was dropped, or would be.
CREATE FUNCTION offstage.prune(before timestamptz, is_rehearsal boolean)
RETURNS TABLE (first_id bigint, last_id bigint, rows bigint, bytes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
    size CONSTANT bigint := 10000000;
    newest bigint;
    number bigint;
    last_end timestamptz;
    doomed bigint[] := '{}';
BEGIN
    IF NOT is_rehearsal THEN
        -- Rows that have ended stay ended meanwhile: whoever retries or settles some waits.
        PERFORM FROM offstage.migration WHERE version = 1 FOR UPDATE;
    END IF;
    SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END / size INTO newest FROM offstage.item_id s;
    FOR number IN
        SELECT substring(c.relname FROM '^item_([0-9]{1,12})$')::bigint AS n
        FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
        WHERE h.inhparent = 'offstage.item'::regclass AND c.relname ~ '^item_[0-9]{1,12}$' ORDER BY 1
    LOOP
        CONTINUE WHEN number >= newest;
        IF NOT is_rehearsal THEN
            -- Whoever still submits to it comes first, and is seen below.
            EXECUTE format('LOCK TABLE offstage.%I IN SHARE MODE', 'item_' || number);
        END IF;
        CONTINUE WHEN EXISTS (SELECT FROM offstage.line l WHERE l.id >= number * size AND l.id < (number + 1) * size);
        EXECUTE format('SELECT count(*), max(e.ended_at) FROM offstage.%I e', 'ended_' || number) INTO rows, last_end;
        CONTINUE WHEN last_end >= before;
        first_id := greatest(number * size, 1);
        last_id := (number + 1) * size - 1;
        bytes := pg_total_relation_size(to_regclass(format('offstage.item_%s', number)))
            + pg_total_relation_size(to_regclass(format('offstage.ended_%s', number)));
        IF NOT is_rehearsal THEN
            EXECUTE format(
                'INSERT INTO offstage.change (lane, state, rows)
                SELECT e.lane, 10 + e.result, -count(*) FROM offstage.%I e GROUP BY e.lane, e.result', 'ended_' || number
            );
            -- A batch that goes on in the next partition stays until that one goes, and so do its keys of rows in there.
            DELETE FROM offstage.known_key k WHERE k.id BETWEEN prune.first_id AND prune.last_id;
            DELETE FROM offstage.known_key k USING offstage.batch b
            WHERE k.batch = b.id AND k.id IS NULL AND b.first_id + b.rows - 1 BETWEEN prune.first_id AND prune.last_id;
            DELETE FROM offstage.batch b WHERE b.rows > 0 AND b.first_id + b.rows - 1 BETWEEN prune.first_id AND prune.last_id;
            doomed := doomed || number;
        END IF;
        RETURN NEXT;
    END LOOP;
    -- Only now, since everybody waits for it: what is slow has been done, and the parents come first, as in most queries.
    IF cardinality(doomed) > 0 THEN
        LOCK TABLE offstage.item, offstage.ended IN ACCESS EXCLUSIVE MODE;
        FOREACH number IN ARRAY doomed LOOP
            EXECUTE format('DROP TABLE offstage.%I, offstage.%I', 'item_' || number, 'ended_' || number);
        END LOOP;
    END IF;
    -- Submissions of which no row was new.
    IF NOT is_rehearsal THEN
        DELETE FROM offstage.batch b WHERE b.rows = 0 AND b.submitted_at < before;
    END IF;
END
$$;

-- After the database was restored from a backup: members know of leases and rows that it has forgotten. Whatever they report is
-- refused, no number that was given is given again, and no fence.
--
-- Returns how many members were fenced, and how many rows were given back.
CREATE FUNCTION offstage.restored(OUT members bigint, OUT rows bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one integer;
BEGIN
    PERFORM FROM offstage.fleet FOR UPDATE;
    UPDATE offstage.member m SET incarnation = m.incarnation + 1000000, alive_until = now(), held = 0;
    GET DIAGNOSTICS members = ROW_COUNT;
    rows := 0;
    FOR one IN SELECT m.id FROM offstage.member m ORDER BY m.id LOOP
        rows := rows + offstage.recover(one, 2147483647);
    END LOOP;
    UPDATE offstage.line l SET fence = (l.fence / 1024 + 1) * 1024;
    UPDATE offstage.ended e SET fence = (e.fence / 1024 + 1) * 1024 WHERE e.result <> 0;
    PERFORM setval('offstage.item_id', (SELECT s.last_value FROM offstage.item_id s) + 1000000000);
    PERFORM setval('offstage.policy_version', (SELECT s.last_value FROM offstage.policy_version s) + 1000000);
    UPDATE offstage.policy p SET version = nextval('offstage.policy_version');
    PERFORM offstage.make_room(1);
END
$$;

-- Grants a role of the fleet to a login, or takes it away. With the rights of whoever calls it: one that may grant the role.
CREATE FUNCTION offstage.grant_role(a_role text, a_login text, is_granted boolean, is_created boolean) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF a_role NOT IN ('viewer', 'submitter', 'member', 'operator') THEN
        RAISE EXCEPTION 'a fleet has no such role' USING ERRCODE = '22023';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = a_login) THEN
        IF NOT is_created THEN
            RAISE EXCEPTION 'there is no login of that name' USING ERRCODE = '42704';
        END IF;
        EXECUTE format('CREATE ROLE %I LOGIN INHERIT', a_login);
    END IF;
    IF is_granted THEN
        EXECUTE format('GRANT %I TO %I', 'offstage_' || a_role, a_login);
    ELSE
        EXECUTE format('REVOKE %I FROM %I', 'offstage_' || a_role, a_login);
    END IF;
END
$$;

REVOKE ALL ON ALL TABLES IN SCHEMA offstage FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA offstage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION offstage.limits, offstage.oldest_wait
TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;
GRANT EXECUTE ON FUNCTION offstage.prune, offstage.restored TO offstage_operator;
