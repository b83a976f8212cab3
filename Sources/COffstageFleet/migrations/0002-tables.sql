-- SPDX-License-Identifier: Apache-2.0
SET LOCAL ROLE offstage_owner;

-- What holds for the whole fleet: one row.
CREATE TABLE offstage.fleet (
    is_it boolean PRIMARY KEY DEFAULT true CHECK (is_it),
    -- Names the fleet in seals, so that a secret of one fleet is none of another's.
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- The public half of the fleet key, to which submitters seal; members hold the other half.
    public_key bytea CHECK (length(public_key) = 32),
    -- Members speak this version or a later one: raised when nothing older is left, and never before.
    least_protocol integer NOT NULL DEFAULT 1,
    -- Seconds that a member with rows may be silent.
    lease_seconds integer NOT NULL DEFAULT 30 CHECK (lease_seconds BETWEEN 2 AND 3600),
    -- A row that was leased so often without an end is set aside as failed. Counted by the fence, which a retry raises to
    -- the next multiple of 1024.
    most_leases integer NOT NULL DEFAULT 20 CHECK (most_leases BETWEEN 1 AND 1000),
    -- When somebody last looked for silent members and due rows; see 0004.
    swept_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 10);
INSERT INTO offstage.fleet DEFAULT VALUES;

CREATE TABLE offstage.member (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    -- The login that joined: no other login speaks for this member.
    login text NOT NULL,
    -- NAME=VALUE, and member=NAME, which every member has.
    labels text[] NOT NULL CHECK (cardinality(labels) <= 64),
    -- 0 takes rows; 1 is a device, which mirrors its own transfers and takes none.
    kind smallint NOT NULL DEFAULT 0 CHECK (kind IN (0, 1)),
    -- 0 active, 1 draining, 2 drained, 3 left.
    state smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
    -- Grows whenever the member joins and whenever it is fenced: calls of an earlier one are refused.
    incarnation integer NOT NULL DEFAULT 1 CHECK (incarnation > 0),
    -- Grows with each turn: of two processes with one incarnation, as after a machine was cloned, one is refused.
    beat bigint NOT NULL DEFAULT 0,
    protocol integer NOT NULL,
    version text NOT NULL CHECK (length(version) <= 100),
    joined_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    alive_until timestamptz NOT NULL DEFAULT now(),
    -- Rows that it holds and could hold, as it last said.
    held integer NOT NULL DEFAULT 0,
    room integer NOT NULL DEFAULT 0,
    policy_version bigint NOT NULL DEFAULT 0
-- Renewals change no indexed column and find room in the page, so that they are HOT.
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE offstage.queue (
    name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    paused_at timestamptz,
    paused_by text
);
INSERT INTO offstage.queue (name) VALUES ('default');

-- Servers with a limit over the whole fleet; any other has none.
CREATE TABLE offstage.host (
    name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 253),
    most integer CHECK (most >= 0)
);

-- Rows that are alike for those who lease: of one queue, for one server, with one set of labels that a member must have.
CREATE TABLE offstage.lane (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL REFERENCES offstage.queue (name),
    host text NOT NULL CHECK (length(host) <= 253),
    -- Sorted.
    requires text[] NOT NULL CHECK (cardinality(requires) <= 16),
    -- Grows whenever rows come to wait in it.
    version bigint NOT NULL DEFAULT 1,
    -- The last look found nothing waiting, and nothing has come since.
    is_idle boolean NOT NULL DEFAULT false,
    UNIQUE (queue, host, requires)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX lane_busy ON offstage.lane (id) WHERE NOT is_idle;

CREATE SEQUENCE offstage.item_id;

-- What was asked for: written once and never changed, whatever happens to the row.
CREATE TABLE offstage.item (
    id bigint NOT NULL PRIMARY KEY CHECK (id > 0),
    lane integer NOT NULL,
    priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 100),
    submitter text NOT NULL,
    submitted_at timestamptz NOT NULL,
    label text CHECK (length(label) <= 1000),
    -- For people, without secrets.
    path text NOT NULL CHECK (length(path) BETWEEN 1 AND 4096),
    destination text NOT NULL CHECK (length(destination) BETWEEN 1 AND 8192),
    bytes bigint NOT NULL CHECK (bytes BETWEEN 0 AND 1152921504606846976),
    -- Whether the requests may be sent again when nobody knows what became of them.
    is_repeatable boolean NOT NULL,
    -- Not before this.
    begins_at timestamptz,
    -- A specification without secrets, as text: the seal of its secrets covers these bytes. Short, since a member holds hundreds.
    spec text NOT NULL CHECK (octet_length(spec) BETWEEN 2 AND 65536),
    -- Secrets under the fleet key.
    sealed bytea CHECK (length(sealed) <= 66560)
) PARTITION BY RANGE (id);

-- The rows that have not ended. Narrow, since each is written three times: as it comes, as it is leased, as it ends.
CREATE TABLE offstage.line (
    id bigint NOT NULL PRIMARY KEY,
    lane integer NOT NULL,
    -- Grows with each lease, and never shrinks.
    fence integer NOT NULL DEFAULT 0 CHECK (fence >= 0),
    priority smallint NOT NULL,
    -- 0 waiting, 1 leased, 2 later (ready_at), 3 paused.
    state smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
    -- What a person wants of a leased row: 0 nothing, 1 cancel, 2 hand it back and pause it.
    wanted smallint NOT NULL DEFAULT 0 CHECK (wanted BETWEEN 0 AND 2),
    is_repeatable boolean NOT NULL,
    -- Whether the member has said, under this fence, that a request may have been sent.
    is_begun boolean NOT NULL DEFAULT false,
    member integer,
    incarnation integer,
    ready_at timestamptz,
    since timestamptz NOT NULL DEFAULT now(),
    -- Why it was given back last, for people.
    note text CHECK (length(note) <= 1000),
    CHECK ((state = 1) = (member IS NOT NULL AND incarnation IS NOT NULL)),
    CHECK (state = 2 OR ready_at IS NULL)
-- Vacuumed for as long as rows come and go: without it the dead fill the front of line_waiting.
) WITH (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_scale_factor = 0.2, autovacuum_analyze_scale_factor = 0.1
);
CREATE INDEX line_waiting ON offstage.line (lane, priority DESC, id) WHERE state = 0;
-- The others are as long as what is under way, or rests.
CREATE INDEX line_leased ON offstage.line (member, id) WHERE state = 1;
CREATE INDEX line_resting ON offstage.line (id) WHERE state > 1;
CREATE INDEX line_wanted ON offstage.line (member) WHERE wanted <> 0;
CREATE INDEX line_later ON offstage.line (ready_at) WHERE state = 2;
-- Rows for servers with a limit under way: few, by the limit itself.
CREATE TABLE offstage.slot (
    id bigint PRIMARY KEY,
    host text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX slot_by_host ON offstage.slot (host);

-- What the dialect of a row under way must remember, sealed: upload sessions are secrets. Outlives the lease.
CREATE TABLE offstage.memory (
    id bigint PRIMARY KEY,
    fence integer NOT NULL,
    -- The member's count of what it asked, under that fence: what arrives late does not take the place of what is newer.
    beat bigint NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT now(),
    -- Bytes that the server has acknowledged, for people.
    bytes_done bigint NOT NULL DEFAULT 0 CHECK (bytes_done >= 0),
    body bytea NOT NULL CHECK (length(body) <= 262144)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- How rows ended: written once, unless a person retries one.
CREATE TABLE offstage.ended (
    id bigint NOT NULL PRIMARY KEY,
    lane integer NOT NULL,
    fence integer NOT NULL,
    member integer,
    incarnation integer,
    -- 0 done, 1 failed, 2 cancelled, 3 unknown.
    result smallint NOT NULL CHECK (result BETWEEN 0 AND 3),
    status smallint,
    is_repeatable boolean NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    bytes_sent bigint NOT NULL DEFAULT 0 CHECK (bytes_sent >= 0),
    detail text CHECK (length(detail) <= 4000),
    -- What the server and the member say of the file, as of `offstage show --receipt --json`; without secrets.
    receipt text CHECK (length(receipt) <= 65536)
) PARTITION BY RANGE (id);
CREATE INDEX ended_trouble ON offstage.ended (id) WHERE result <> 0;

-- Submissions that have been taken in, so that one whose answer was lost is not taken in twice.
CREATE TABLE offstage.batch (
    id uuid PRIMARY KEY,
    submitter text NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT now(),
    first_id bigint NOT NULL,
    rows bigint NOT NULL
);

-- Where submitters write. Emptied by the transaction that fills it, so a crash loses nothing: it need not be logged.
CREATE UNLOGGED TABLE offstage.intake (
    batch uuid NOT NULL,
    -- The order within the batch.
    place bigint NOT NULL,
    queue text NOT NULL DEFAULT 'default',
    host text NOT NULL,
    requires text[] NOT NULL DEFAULT '{}',
    priority smallint NOT NULL DEFAULT 50,
    label text,
    path text NOT NULL,
    destination text NOT NULL,
    bytes bigint NOT NULL,
    is_repeatable boolean NOT NULL,
    begins_at timestamptz,
    spec text NOT NULL,
    sealed bytea,
    -- The submitter's own name for the row: of several rows with one key the first is taken in, in whichever batch it comes.
    key text CHECK (length(key) BETWEEN 1 AND 200),
    PRIMARY KEY (batch, place)
);
CREATE TABLE offstage.known_key (
    submitter text NOT NULL,
    key text NOT NULL,
    batch uuid NOT NULL,
    place bigint NOT NULL,
    -- The row; NULL if it came with very many others.
    id bigint,
    PRIMARY KEY (submitter, key)
);

-- How many rows each lane has in each state, as changes that are added up from time to time: counting a million rows takes
-- too long for a list, and a number that everybody changes makes everybody wait. States of `line`, and 10 + result.
CREATE TABLE offstage.change (
    lane integer NOT NULL,
    state smallint NOT NULL,
    rows bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE TABLE offstage.tally (
    lane integer NOT NULL,
    state smallint NOT NULL,
    rows bigint NOT NULL,
    PRIMARY KEY (lane, state)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- What members with these labels take from the fleet: limits, hours, metered networks, paused. JSON that Core reads.
CREATE TABLE offstage.policy (
    name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    requires text[] NOT NULL,
    version bigint NOT NULL,
    rules text NOT NULL CHECK (length(rules) <= 65536)
);
CREATE SEQUENCE offstage.policy_version;

-- Outcomes and conditions of devices, which their owners chose to show. Old ones are pruned.
CREATE TABLE offstage.mirror (
    member integer NOT NULL,
    transfer bigint NOT NULL,
    result smallint NOT NULL CHECK (result BETWEEN 0 AND 3),
    ended_at timestamptz NOT NULL,
    path text CHECK (length(path) <= 4096),
    destination text CHECK (length(destination) <= 8192),
    bytes bigint NOT NULL CHECK (bytes >= 0),
    detail text CHECK (length(detail) <= 4000),
    PRIMARY KEY (member, transfer)
);
CREATE TABLE offstage.condition (
    member integer PRIMARY KEY,
    at timestamptz NOT NULL,
    network text NOT NULL CHECK (length(network) <= 32),
    power text NOT NULL CHECK (length(power) <= 32),
    waiting bigint NOT NULL CHECK (waiting >= 0),
    running bigint NOT NULL CHECK (running >= 0)
) WITH (fillfactor = 40);
