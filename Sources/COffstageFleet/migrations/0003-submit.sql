-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- Every function below runs with its owner's rights. Its path names no schema that a caller could write to.

-- Makes partitions until the ids that the next rows get have a place. A partition is attached, and not made in place, so
-- that nobody who reads or writes another one waits.
CREATE FUNCTION offstage.make_room(more bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    size CONSTANT bigint := 10000000;
    last bigint;
    number bigint;
    parent text;
BEGIN
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END INTO last FROM offstage.item_id;
    -- One partition ahead, for those who submit at the same time.
    FOR number IN (last / size) .. ((last + more + size) / size) LOOP
        CONTINUE WHEN to_regclass(format('offstage.item_%s', number)) IS NOT NULL;
        -- Two who find it missing at the same time: the second waits here, and then finds it.
        PERFORM FROM offstage.fleet FOR UPDATE;
        CONTINUE WHEN to_regclass(format('offstage.item_%s', number)) IS NOT NULL;
        FOREACH parent IN ARRAY ARRAY['ended', 'item'] LOOP
            EXECUTE format(
                'CREATE TABLE offstage.%I (LIKE offstage.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)',
                parent || '_' || number, parent
            );
            EXECUTE format(
                'ALTER TABLE offstage.%I ATTACH PARTITION offstage.%I FOR VALUES FROM (%s) TO (%s)',
                parent, parent || '_' || number, greatest(number * size, 1), (number + 1) * size
            );
        END LOOP;
    END LOOP;
END
$$;

-- Counts rows, named by their lanes, that have come to a state (`by` 1) or left it (-1).
CREATE FUNCTION offstage.count_change(lanes integer[], a_state smallint, by integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO offstage.change (lane, state, rows)
    SELECT l, a_state, by * count(*) FROM unnest(lanes) l GROUP BY l
$$;

-- Tells members that listen. It is a hint: a database that has no NOTIFY, or has it turned off, is no reason to fail, and
-- members ask by themselves.
CREATE FUNCTION offstage.tell(channel text, word text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify(channel, word);
EXCEPTION WHEN OTHERS THEN
    NULL;
END
$$;

-- Says that rows wait in these lanes, and wakes members that listen. NOTIFY takes a lock of the whole server until the
-- commit, so it is used where rows come to wait and where a person wants something, and never where rows end.
CREATE FUNCTION offstage.rouse(lanes integer[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one integer;
BEGIN
    -- In the order of the ids, so that two who rouse the same lanes do not lock each other out.
    PERFORM FROM offstage.lane WHERE id = ANY (lanes) ORDER BY id FOR UPDATE;
    UPDATE offstage.lane SET version = version + 1, is_idle = false WHERE id = ANY (lanes);
    IF cardinality(lanes) > 100 THEN
        PERFORM offstage.tell('offstage_work', '');
    ELSE
        FOREACH one IN ARRAY lanes LOOP
            PERFORM offstage.tell('offstage_work', one::text);
        END LOOP;
    END IF;
END
$$;

-- Labels in their order, and each once.
CREATE FUNCTION offstage.sorted_labels(labels text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT l ORDER BY l), '{}') FROM unnest(labels) l
$$;

-- Takes in what this transaction has copied to `intake` under this batch's id: all rows in order, or none; without those whose
-- key is known. Queues that are not there are made.
--
-- Returns how many rows were taken in and the number of the first, how many were left out, and, of a batch of at most 100,000,
-- the numbers of both; if the batch was taken in before, the first two again, and nothing else.
CREATE FUNCTION offstage.submit(
    a_batch uuid, OUT first_id bigint, OUT rows bigint, OUT known bigint, OUT ids bigint[]
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_listed CONSTANT bigint := 100000;
    lanes integer[];
    earlier bigint[] := '{}';
    total bigint;
    has_keys boolean;
BEGIN
    INSERT INTO offstage.batch (id, submitter, first_id, rows) VALUES (a_batch, session_user, 0, 0)
    ON CONFLICT (id) DO NOTHING;
    IF NOT FOUND THEN
        DELETE FROM offstage.intake i WHERE i.batch = a_batch;
        SELECT b.first_id, b.rows INTO first_id, rows FROM offstage.batch b
        WHERE b.id = a_batch AND b.submitter = session_user;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'this batch is another submitter''s' USING ERRCODE = 'OS002';
        END IF;
        RETURN;
    END IF;
    known := 0;
    SELECT count(*), count(i.key) > 0 INTO total, has_keys FROM offstage.intake i WHERE i.batch = a_batch;
    IF has_keys THEN
        -- Who sends the same key at the same time waits here, in the order of the keys.
        INSERT INTO offstage.known_key (submitter, key, batch, place)
        SELECT session_user, i.key, a_batch, min(i.place) FROM offstage.intake i
        WHERE i.batch = a_batch AND i.key IS NOT NULL GROUP BY i.key ORDER BY i.key
        ON CONFLICT (submitter, key) DO NOTHING;
        WITH there AS (
            DELETE FROM offstage.intake i USING offstage.known_key k
            WHERE i.batch = a_batch AND k.submitter = session_user AND k.key = i.key
                AND (k.batch <> a_batch OR k.place <> i.place)
            RETURNING k.batch, k.id
        )
        -- Of a key that this batch has twice the row comes below.
        SELECT count(*), coalesce(array_agg(DISTINCT t.id) FILTER (WHERE t.id IS NOT NULL AND total <= most_listed), '{}')
        INTO known, earlier FROM there t;
    END IF;
    rows := total - known;
    PERFORM offstage.make_room(rows);
    INSERT INTO offstage.queue (name) SELECT DISTINCT i.queue FROM offstage.intake i WHERE i.batch = a_batch
    ON CONFLICT (name) DO NOTHING;
    -- One lane for each way to write it; labels are sorted there.
    INSERT INTO offstage.lane (queue, host, requires)
    SELECT DISTINCT i.queue, i.host, offstage.sorted_labels(i.requires)
    FROM (SELECT DISTINCT j.queue, j.host, j.requires FROM offstage.intake j WHERE j.batch = a_batch) i
    ON CONFLICT (queue, host, requires) DO NOTHING;

    -- Each wide row is read and written once: the order comes out of the key of `intake`.
    WITH ways AS (
        SELECT w.*, l.id AS lane
        FROM (SELECT DISTINCT j.queue, j.host, j.requires FROM offstage.intake j WHERE j.batch = a_batch) w
            JOIN offstage.lane l ON l.queue = w.queue AND l.host = w.host
                AND l.requires = offstage.sorted_labels(w.requires)
    ), kept AS (
        INSERT INTO offstage.item (
            id, lane, priority, submitter, submitted_at, label, path, destination, bytes, is_repeatable, begins_at, spec,
            sealed
        )
        SELECT nextval('offstage.item_id'), w.lane, i.priority, session_user, now(), i.label, i.path, i.destination, i.bytes,
            i.is_repeatable, i.begins_at, i.spec, i.sealed
        FROM (SELECT * FROM offstage.intake j WHERE j.batch = a_batch ORDER BY j.batch, j.place OFFSET 0) i
            JOIN ways w ON w.queue = i.queue AND w.host = i.host AND w.requires = i.requires
        RETURNING item.id, item.lane, item.priority, item.is_repeatable, item.begins_at
    ), lined AS (
        INSERT INTO offstage.line (id, lane, priority, state, is_repeatable, ready_at)
        SELECT k.id, k.lane, k.priority, CASE WHEN k.begins_at > now() THEN 2 ELSE 0 END, k.is_repeatable,
            CASE WHEN k.begins_at > now() THEN k.begins_at END
        FROM kept k
        RETURNING line.id, line.lane, line.state
    ), counted AS (
        INSERT INTO offstage.change (lane, state, rows)
        SELECT l.lane, l.state, count(*) FROM lined l GROUP BY l.lane, l.state
        RETURNING change.lane
    )
    SELECT (SELECT coalesce(array_agg(DISTINCT c.lane), '{}') FROM counted c), min(l.id),
        array_agg(l.id ORDER BY l.id) FILTER (WHERE total <= most_listed)
    INTO lanes, first_id, ids FROM lined l;
    IF total <= most_listed THEN
        ids := coalesce(ids, '{}');
        IF has_keys THEN
            -- Numbers are given in the order of the places.
            UPDATE offstage.known_key k SET id = n.id
            FROM (
                SELECT i.key, ids[row_number() OVER (ORDER BY i.place)] AS id FROM offstage.intake i WHERE i.batch = a_batch
            ) n
            WHERE k.submitter = session_user AND k.key = n.key;
        END IF;
        ids := ids || earlier;
    END IF;
    DELETE FROM offstage.intake i WHERE i.batch = a_batch;
    UPDATE offstage.batch b SET first_id = coalesce(submit.first_id, 0), rows = submit.rows WHERE b.id = a_batch;
    -- Until autovacuum has come by, the planner would take a table of a million rows for an empty one.
    IF rows >= 10000 THEN
        ANALYZE offstage.line;
    END IF;
    PERFORM offstage.rouse(lanes);
END
$$;
