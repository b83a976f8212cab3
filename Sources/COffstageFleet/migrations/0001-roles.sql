-- SPDX-License-Identifier: Apache-2.0
-- Roles, and the schema that one of them owns. None can log in: a login of a person or a machine is granted one of them.
-- Roles belong to the whole server, so that a second fleet beside this one finds them made.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY[
        'offstage_owner', 'offstage_viewer', 'offstage_submitter', 'offstage_member', 'offstage_operator'
    ] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', wanted);
        END IF;
    END LOOP;
END
$$;

-- Whoever sets the fleet up acts as its owner from the next line on.
GRANT offstage_owner TO CURRENT_USER;
CREATE SCHEMA offstage AUTHORIZATION offstage_owner;
REVOKE ALL ON SCHEMA offstage FROM PUBLIC;
GRANT USAGE ON SCHEMA offstage TO offstage_viewer, offstage_submitter, offstage_member, offstage_operator;

SET LOCAL ROLE offstage_owner;

-- Nothing that is made here is for everybody, functions included.
ALTER DEFAULT PRIVILEGES IN SCHEMA offstage REVOKE ALL ON TABLES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- Each migration is one transaction, which ends by writing its number here.
CREATE TABLE offstage.migration (
    version integer PRIMARY KEY CHECK (version > 0),
    applied_at timestamptz NOT NULL DEFAULT now()
);
