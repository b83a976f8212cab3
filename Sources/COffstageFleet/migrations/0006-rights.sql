-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- Tables are the owner's alone: others read views, and change what functions change for them. That is also what CockroachDB
-- can do, which knows no rights to single columns.
REVOKE ALL ON ALL TABLES IN SCHEMA offstage FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA offstage FROM PUBLIC;

GRANT SELECT ON offstage.row, offstage.count, offstage.member_state, offstage.queue, offstage.host, offstage.policy,
    offstage.mirror, offstage.migration
TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;
GRANT SELECT ON offstage.fleet TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;
GRANT EXECUTE ON FUNCTION offstage.why, offstage.list TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;

GRANT INSERT ON offstage.intake TO offstage_submitter;
GRANT EXECUTE ON FUNCTION offstage.submit TO offstage_submitter;
GRANT EXECUTE ON FUNCTION offstage.stop_rows, offstage.retry_rows, offstage.settle_rows
TO offstage_submitter, offstage_operator;

GRANT EXECUTE ON FUNCTION offstage.join_fleet, offstage.turn, offstage.held, offstage.leased, offstage.begin_rows,
    offstage.keep, offstage.finish, offstage.give_back, offstage.leave_fleet, offstage.drained, offstage.show_outcomes,
    offstage.show_condition, offstage.drain_member
TO offstage_member;

GRANT EXECUTE ON FUNCTION offstage.pause_queue, offstage.limit_host, offstage.drain_member, offstage.set_policy
TO offstage_operator;

-- The first rows have a place.
SELECT offstage.make_room(1);
