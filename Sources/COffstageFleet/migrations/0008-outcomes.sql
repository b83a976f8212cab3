-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- The last ends of all devices, and of one, without a sort.
CREATE INDEX mirror_by_end ON offstage.mirror (ended_at DESC, member DESC, transfer DESC);
CREATE INDEX mirror_by_member ON offstage.mirror (member, ended_at DESC, transfer DESC);

-- What devices have shown of their own transfers, the last first: of some members (NULL for all), only those that did not
-- arrive, those that ended before a time (NULL for the last).
CREATE FUNCTION offstage.outcomes(names text[], are_troubles boolean, before timestamptz, most integer)
RETURNS TABLE (
    member text, transfer bigint, result smallint, ended_at timestamptz, path text, destination text, bytes bigint, detail text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
    SELECT m.name, o.transfer, o.result, o.ended_at, o.path, o.destination, o.bytes, o.detail
    FROM offstage.mirror o JOIN offstage.member m ON m.id = o.member
    WHERE (names IS NULL OR o.member = ANY (ARRAY(SELECT n.id FROM offstage.member n WHERE n.name = ANY (names))))
        AND (NOT are_troubles OR o.result <> 0) AND (before IS NULL OR o.ended_at < before)
    ORDER BY o.ended_at DESC, o.member DESC, o.transfer DESC LIMIT greatest(0, least(most, 1000))
$$;

-- Forgets what devices have shown before a time. Returns how much that was, or would be.
CREATE FUNCTION offstage.prune_outcomes(before timestamptz, is_rehearsal boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found bigint;
BEGIN
    SELECT count(*) INTO found FROM offstage.mirror o WHERE o.ended_at < before;
    IF NOT is_rehearsal THEN
        DELETE FROM offstage.mirror o WHERE o.ended_at < before;
        GET DIAGNOSTICS found = ROW_COUNT;
    END IF;
    RETURN found;
END
$$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA offstage FROM PUBLIC;
GRANT EXECUTE ON FUNCTION offstage.outcomes TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;
GRANT EXECUTE ON FUNCTION offstage.prune_outcomes TO offstage_operator;
