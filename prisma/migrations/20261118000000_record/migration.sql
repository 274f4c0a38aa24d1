-- The record: people, projects, runs with their approvals, the journal, and what processes share.

CREATE TYPE role AS ENUM ('viewer', 'reviewer', 'operator', 'admin');
CREATE TYPE actor_kind AS ENUM ('user', 'token', 'agent', 'system');
CREATE TYPE run_status AS ENUM (
    'pending', 'running', 'pending_approval', 'needs_human_review', 'complete', 'failed', 'cancelled'
);
CREATE TYPE approval_status AS ENUM ('pending', 'approved', 'rejected', 'expired', 'cancelled');
CREATE TYPE danger AS ENUM ('safe', 'low', 'medium', 'high', 'critical');
CREATE TYPE on_reject AS ENUM ('fail', 'recover', 'retry', 'skip', 'degrade');
CREATE TYPE timeout_behavior AS ENUM ('fail', 'reject');
CREATE TYPE pin_source AS ENUM ('lock', 'first_use');
CREATE TYPE notice_outcome AS ENUM ('sent', 'failed', 'not_needed');

CREATE TABLE users (
    id text NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role role NOT NULL DEFAULT 'viewer',
    password_hash text,
    session_version integer NOT NULL DEFAULT 0,
    preferences jsonb NOT NULL DEFAULT '{}',
    disabled_at timestamptz(3),
    last_sign_in_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_email_lower CHECK (email = lower(email) AND email <> '')
);
CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE INDEX users_role_id_idx ON users (role, id);

CREATE TABLE accounts (
    user_id text NOT NULL,
    type text NOT NULL,
    provider text NOT NULL,
    provider_account_id text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT accounts_pkey PRIMARY KEY (provider, provider_account_id),
    CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX accounts_user_id_idx ON accounts (user_id);

-- A cookie stays good for days, so that a session which was signed out of is kept until no cookie of it can be good.
CREATE TABLE ended_sessions (
    id text NOT NULL,
    user_id text NOT NULL,
    keep_until timestamptz(3) NOT NULL,
    CONSTRAINT ended_sessions_pkey PRIMARY KEY (id),
    CONSTRAINT ended_sessions_user_id_fkey FOREIGN KEY (user_id)
        REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ended_sessions_keep_until_idx ON ended_sessions (keep_until);

CREATE TABLE saved_views (
    id text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT saved_views_pkey PRIMARY KEY (id),
    CONSTRAINT saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX saved_views_user_id_name_key ON saved_views (user_id, name);

-- project_members and from_project are what policy.yaml says of groups, known also before people have an account.
CREATE TABLE groups (
    id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    project_members text[] DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT groups_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX groups_name_key ON groups (name);

CREATE TABLE group_members (
    group_id text NOT NULL,
    user_id text NOT NULL,
    from_project boolean NOT NULL DEFAULT false,
    CONSTRAINT group_members_pkey PRIMARY KEY (group_id, user_id),
    CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id)
        REFERENCES groups (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT group_members_user_id_fkey FOREIGN KEY (user_id)
        REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX group_members_user_id_idx ON group_members (user_id);

CREATE TABLE api_tokens (
    id text NOT NULL,
    name text NOT NULL,
    user_id text NOT NULL,
    created_by_id text,
    hash text NOT NULL,
    hint text NOT NULL,
    scopes text[],
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    last_used_address text,
    revoked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT api_tokens_pkey PRIMARY KEY (id),
    CONSTRAINT api_tokens_scopes_known CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['runs:read', 'runs:write',
        'approvals:read', 'approvals:decide', 'registry:read', 'audit:read', 'mcp', 'admin']),
    CONSTRAINT api_tokens_decide_has_creator CHECK (NOT 'approvals:decide' = ANY (scopes) OR created_by_id IS NOT NULL),
    CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT api_tokens_created_by_id_fkey FOREIGN KEY (created_by_id)
        REFERENCES users (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX api_tokens_hash_key ON api_tokens (hash);
CREATE INDEX api_tokens_user_id_id_idx ON api_tokens (user_id, id);

CREATE TABLE project_versions (
    hash text NOT NULL,
    content bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT project_versions_pkey PRIMARY KEY (hash)
);

CREATE TABLE settings (
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_by text,
    updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT settings_pkey PRIMARY KEY (key)
);

-- What holds for every row of runs, as a function: Postgres reads and plans the expressions of checks anew for each
-- statement, which took half the time of an update, but keeps a function's. It takes columns and not the row, because
-- a row would be read whole, with values that are stored elsewhere for their size.
CREATE FUNCTION is_sound_run(
  status run_status, completed_at timestamptz, wake_at timestamptz, lease_owner text, lease_until timestamptz, error jsonb,
  tokens_in integer, tokens_out integer, cost_usd numeric, llm_calls integer, tool_calls integer, epoch integer, seq integer
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  -- What is settled has an end,
  RETURN (status IN ('complete', 'failed', 'cancelled')) = (completed_at IS NOT NULL)
    -- and is still;
    AND (status NOT IN ('complete', 'failed', 'cancelled') OR (wake_at IS NULL AND lease_owner IS NULL))
    -- a lease is whole,
    AND (lease_owner IS NULL) = (lease_until IS NULL)
    -- what failed has an error,
    AND (status <> 'failed' OR error IS NOT NULL)
    -- and no figure is negative.
    AND tokens_in >= 0 AND tokens_out >= 0 AND cost_usd >= 0 AND llm_calls >= 0 AND tool_calls >= 0 AND epoch >= 0
    AND seq >= 0;
END
$$;

-- A run's row changes with each commit, so that it has few indexes: what lists search for and never changes is in
-- the projection run_search, and what only a few rows have is indexed for those rows alone. Room is left on each page
-- for the next version of a row: a change that touches no index then writes no index. Of a new version on the same page
-- only what lies between the first and the last changed byte is logged, so that the columns stand in the order of how
-- often they change.
CREATE TABLE runs (
    id text NOT NULL,
    workflow text NOT NULL,
    version text NOT NULL,
    config_hash text NOT NULL,
    agents text[] NOT NULL DEFAULT '{}',
    started_by_kind actor_kind NOT NULL,
    started_by_id text NOT NULL,
    started_by_name text NOT NULL,
    started_by_user_id text,
    retry_of_run_id text,
    params jsonb NOT NULL,
    cost_budget_usd numeric(14, 6),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    secrets bytea,
    commits_lost_at timestamptz(3),
    tokens_in integer NOT NULL DEFAULT 0,
    tokens_out integer NOT NULL DEFAULT 0,
    llm_calls integer NOT NULL DEFAULT 0,
    cost_usd numeric(14, 6) NOT NULL DEFAULT 0,
    lease_owner text,
    lease_until timestamptz(3),
    wake_at timestamptz(3),
    active_ms integer NOT NULL DEFAULT 0,
    epoch integer NOT NULL DEFAULT 0,
    status run_status NOT NULL DEFAULT 'pending',
    tool_calls integer NOT NULL DEFAULT 0,
    seq integer NOT NULL DEFAULT 0,
    updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    head bytea NOT NULL,
    completed_at timestamptz(3),
    error jsonb,
    output jsonb,
    CONSTRAINT runs_pkey PRIMARY KEY (id),
    CONSTRAINT runs_sound CHECK (is_sound_run(status, completed_at, wake_at, lease_owner, lease_until, error, tokens_in,
        tokens_out, cost_usd, llm_calls, tool_calls, epoch, seq)),
    CONSTRAINT runs_config_hash_fkey FOREIGN KEY (config_hash)
        REFERENCES project_versions (hash) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT runs_retry_of_run_id_fkey FOREIGN KEY (retry_of_run_id)
        REFERENCES runs (id) ON DELETE SET NULL ON UPDATE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX runs_workflow_id_idx ON runs (workflow, id DESC);
CREATE INDEX runs_status_id_idx ON runs (status, id DESC);
CREATE INDEX runs_started_by_id_id_idx ON runs (started_by_id, id DESC);
-- An index of ranges does not stop an update from staying on its page.
CREATE INDEX runs_created ON runs USING brin (created_at) WITH (pages_per_range = 32, autosummarize = on);
CREATE INDEX runs_cost ON runs USING brin (cost_usd) WITH (pages_per_range = 1, autosummarize = on);
-- The queue: only rows that wait for their time and belong to nobody are in it.
CREATE INDEX runs_runnable ON runs (wake_at) WHERE wake_at IS NOT NULL AND lease_owner IS NULL;
-- By time and not by owner: every write of a worker names the owner, and would be led through all that is leased.
CREATE INDEX runs_leased ON runs (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX runs_retry_of ON runs (retry_of_run_id) WHERE retry_of_run_id IS NOT NULL;

-- The first so many runs whose cost lies between two sums. The planner knows of no order among costs and would rather
-- read all runs than the index of their ranges; here that is taken from its choices, without a transaction around the
-- question.
CREATE FUNCTION runs_by_cost(cost_min numeric, cost_max numeric, most integer) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT runs.id FROM runs WHERE runs.cost_usd >= cost_min AND runs.cost_usd <= cost_max LIMIT most;
END
$$;

-- What is decided has its time, and nothing is granted before enough have approved.
CREATE FUNCTION is_sound_approval(
  status approval_status, decided_at timestamptz, min_approvals integer, approvals integer
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (status = 'pending') = (decided_at IS NULL)
    AND min_approvals > 0
    AND (status <> 'approved' OR approvals >= min_approvals);
END
$$;

-- Each approval is the row that people see and decide by; the inbox is never behind. What a decision changes stands
-- last, as in runs.
CREATE TABLE approvals (
    id text NOT NULL,
    call_id text NOT NULL,
    run_id text NOT NULL,
    step_id text NOT NULL,
    workflow text NOT NULL,
    agent text NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    danger danger NOT NULL,
    on_reject on_reject NOT NULL DEFAULT 'fail',
    timeout_behavior timeout_behavior NOT NULL DEFAULT 'fail',
    escalate_to text[],
    escalate_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    rule jsonb NOT NULL,
    approvers text[],
    min_approvals integer NOT NULL DEFAULT 1,
    self_approval boolean NOT NULL DEFAULT false,
    editable boolean NOT NULL DEFAULT true,
    summary text NOT NULL,
    digest text NOT NULL,
    question_digest text,
    expires_at timestamptz(3),
    escalated_at timestamptz(3),
    status approval_status NOT NULL DEFAULT 'pending',
    approvals integer NOT NULL DEFAULT 0,
    version integer NOT NULL DEFAULT 1,
    decided_at timestamptz(3),
    deciders text[] NOT NULL DEFAULT '{}',
    CONSTRAINT approvals_pkey PRIMARY KEY (id),
    CONSTRAINT approvals_sound CHECK (is_sound_approval(status, decided_at, min_approvals, approvals)),
    CONSTRAINT approvals_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE RESTRICT ON UPDATE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX approvals_run_id_call_id_idx ON approvals (run_id, call_id);
CREATE INDEX approvals_status_id_idx ON approvals (status, id DESC);
CREATE UNIQUE INDEX approvals_one_pending ON approvals (call_id) WHERE status = 'pending';
-- The inbox's orders and filters.
CREATE INDEX approvals_pending_by_expiry ON approvals (expires_at NULLS LAST, id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_danger ON approvals (danger DESC, id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_workflow ON approvals (workflow) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_agent ON approvals (agent) WHERE status = 'pending';
CREATE INDEX approvals_escalating ON approvals (escalate_at)
  WHERE status = 'pending' AND escalate_at IS NOT NULL AND escalated_at IS NULL;
-- Insights read a stretch of time from this index alone.
CREATE INDEX approvals_decided ON approvals (decided_at) INCLUDE (id, status, danger, server, tool, created_at)
  WHERE decided_at IS NOT NULL;
-- What people said of a tool before.
CREATE INDEX approvals_decided_by_tool ON approvals (server, tool, status, decided_at DESC)
  WHERE decided_at IS NOT NULL;
-- A reviewer must see that the very same call waits elsewhere, or was let through already; and what waits is filtered
-- by its tool. The digest comes last: an index that begins with it would be taken for the way to one approval whose
-- digest must be as seen. Eight of its digits tell calls apart well enough to leave a few rows to compare.
CREATE INDEX approvals_same ON approvals (server, tool, status, substr(digest, 8, 8))
  WHERE status IN ('pending', 'approved');

-- What reviewers set aside for themselves, with a note for the others.
CREATE TABLE set_asides (
    approval_id text NOT NULL,
    user_id text NOT NULL,
    note text,
    version integer NOT NULL,
    until timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT set_asides_pkey PRIMARY KEY (user_id, approval_id),
    CONSTRAINT set_asides_approval_id_fkey FOREIGN KEY (approval_id)
        REFERENCES approvals (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT set_asides_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX set_asides_approval_id_created_at_idx ON set_asides (approval_id, created_at);

-- Who has a card open now.
CREATE TABLE viewers (
    approval_id text NOT NULL,
    user_id text NOT NULL,
    until timestamptz(3) NOT NULL,
    CONSTRAINT viewers_pkey PRIMARY KEY (approval_id, user_id),
    CONSTRAINT viewers_approval_id_fkey FOREIGN KEY (approval_id)
        REFERENCES approvals (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT viewers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewers_until_idx ON viewers (until);

-- One sealed row for each commit of a run, in partitions by month. The projector asks for new rows several times a
-- second, so that transactions have an index of their own.
CREATE TABLE journal (
    run_id text NOT NULL,
    seq integer NOT NULL,
    at timestamptz(3) NOT NULL,
    body text NOT NULL,
    mac bytea NOT NULL,
    hash bytea NOT NULL,
    data text,
    tx bigint NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    CONSTRAINT journal_pkey PRIMARY KEY (run_id, seq, at)
) PARTITION BY RANGE (at);
CREATE INDEX journal_tx ON journal (tx);

-- Chains that belong to no run: their rows are placed here, under a lock on the chain.
CREATE TABLE chains (
    id text NOT NULL,
    seq integer NOT NULL,
    head bytea NOT NULL,
    CONSTRAINT chains_pkey PRIMARY KEY (id)
);
INSERT INTO chains (id, seq, head) VALUES ('system', 0, '\x');
CREATE FUNCTION next_in_chain(chain text, mac bytea, body text) RETURNS TABLE (seq int, hash bytea)
LANGUAGE sql VOLATILE AS $$
  UPDATE chains SET seq = chains.seq + 1,
    head = sha256(chains.head || next_in_chain.mac || convert_to(next_in_chain.body, 'UTF8'))
  WHERE id = chain RETURNING chains.seq, chains.head
$$;

CREATE TABLE anchors (
    seq integer NOT NULL,
    from_tx bigint NOT NULL,
    to_tx bigint NOT NULL,
    rows integer NOT NULL,
    body text NOT NULL,
    mac text NOT NULL,
    prev_hash text NOT NULL,
    hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT anchors_pkey PRIMARY KEY (seq)
);

CREATE TABLE tool_definitions (
    server text NOT NULL,
    tool text NOT NULL,
    fingerprint text NOT NULL,
    definition jsonb NOT NULL,
    first_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    gone_at timestamptz(3),
    CONSTRAINT tool_definitions_pkey PRIMARY KEY (server, tool, fingerprint)
);

CREATE TABLE tool_pins (
    server text NOT NULL,
    tool text NOT NULL,
    fingerprint text NOT NULL,
    shape text NOT NULL,
    source pin_source NOT NULL,
    pinned_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT tool_pins_pkey PRIMARY KEY (server, tool)
);

CREATE TABLE tool_server_states (
    name text NOT NULL,
    reachable boolean NOT NULL,
    last_error text,
    list_hash text,
    listed_at timestamptz(3),
    checked_at timestamptz(3) NOT NULL,
    CONSTRAINT tool_server_states_pkey PRIMARY KEY (name)
);

CREATE TABLE throttles (
    key text NOT NULL,
    count integer NOT NULL,
    window_ends_at timestamptz(3) NOT NULL,
    CONSTRAINT throttles_pkey PRIMARY KEY (key),
    CONSTRAINT throttles_count_not_negative CHECK (count >= 0)
);
CREATE INDEX throttles_window_ends_at_idx ON throttles (window_ends_at);

CREATE TABLE idempotency_keys (
    principal text NOT NULL,
    key text NOT NULL,
    request_digest text NOT NULL,
    status integer,
    response jsonb,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (principal, key)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);

-- Messages to channels, found from the events, so that no change needs to know of channels.
CREATE TABLE notices (
    id text NOT NULL,
    channel text NOT NULL,
    event_id text NOT NULL,
    type text NOT NULL,
    facts jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(3) NOT NULL,
    outcome notice_outcome,
    last_error text,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at timestamptz(3),
    CONSTRAINT notices_pkey PRIMARY KEY (id),
    CONSTRAINT notices_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX notices_channel_id_idx ON notices (channel, id DESC);
CREATE UNIQUE INDEX notices_channel_event_id_key ON notices (channel, event_id);
CREATE INDEX notices_due ON notices (channel, due_at) WHERE ended_at IS NULL;
CREATE INDEX notices_over ON notices (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE workers (
    id text NOT NULL,
    process text NOT NULL,
    capacity integer NOT NULL,
    started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    heartbeat_at timestamptz(3) NOT NULL,
    CONSTRAINT workers_pkey PRIMARY KEY (id)
);
CREATE INDEX workers_heartbeat_at_idx ON workers (heartbeat_at);

-- A failover to a standby that lacked the last commits, and a restore, make the database forget what was sent. Both
-- give it another history: a new timeline, or another cluster. Which history the rows belong to is on record, and no
-- worker writes while the two differ.

-- The cluster and its timeline, from where it writes now: the control file names the new timeline only some time
-- after a promotion. Services that hide it keep their copies in step by other means, and have one history.
-- The cluster is read once for each connection, which cannot come to another one.
CREATE FUNCTION database_cluster() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE cluster text;
BEGIN
  SELECT system_identifier::text INTO cluster FROM pg_control_system();
  PERFORM set_config('kimitsu.cluster', cluster, false);
  RETURN cluster;
EXCEPTION WHEN feature_not_supported OR insufficient_privilege THEN
  PERFORM set_config('kimitsu.cluster', 'unknown', false);
  RETURN 'unknown';
END $$;

CREATE FUNCTION database_history() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE cluster text := current_setting('kimitsu.cluster', true);
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'this server is a standby and takes no writes' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  IF coalesce(cluster, '') = '' THEN
    cluster := database_cluster();
  END IF;
  RETURN CASE WHEN cluster = 'unknown' THEN cluster
    ELSE cluster || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END;
END $$;

-- Stands in the guard of every write of a worker. The state KT001 is treated as a database that is away, until a
-- worker has looked at what was lost. The row is read once for each transaction, of which a process makes one for many
-- runs: a server has one history as long as a transaction lasts. Without a transaction's number yet, it is read.
CREATE FUNCTION is_known_history() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('kimitsu.history_known_in', true) = pg_current_xact_id_if_assigned()::text THEN
    RETURN true;
  END IF;
  IF EXISTS (SELECT 1 FROM settings WHERE key = 'database.history' AND value ->> 'history' = database_history()) THEN
    PERFORM set_config('kimitsu.history_known_in', pg_current_xact_id()::text, true);
    RETURN true;
  END IF;
  RAISE EXCEPTION 'the database has another history than its rows; a worker has to look at what was lost'
    USING ERRCODE = 'KT001';
END $$;

INSERT INTO settings (key, value, updated_at)
VALUES ('database.history', jsonb_build_object('history', database_history(), 'synchronous', false), now());

-- Append-only tables. The right is taken from the owner too: a superuser or a deliberate GRANT is needed before a row
-- can even be tried, and then there is the trigger.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER anchors_append_only BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER anchors_no_truncate BEFORE TRUNCATE ON anchors FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON journal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON anchors, journal FROM PUBLIC, CURRENT_USER;

-- Rows of months that have no partition. It should be empty: what lies here is moved when its month gets one.
CREATE TABLE journal_other PARTITION OF journal DEFAULT;
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON journal_other FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON journal_other FROM PUBLIC, CURRENT_USER;

-- Adds the partition of the month that begins on this day, and says how many rows were moved to it. It is attached
-- and not made in its place, so that whoever writes to other months need not wait; readers of the journal wait for
-- the moment in which journal_other is held.
CREATE FUNCTION add_journal_month(month date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  name text := to_char(month, '"journal_"YYYY_MM');
  starts timestamptz := month::timestamp AT TIME ZONE 'UTC';
  ends timestamptz := (month + interval '1 month') AT TIME ZONE 'UTC';
  moved integer := 0;
BEGIN
  -- The row of a turn is compressed and then stays in its place, instead of going to a table of its own for 200 bytes.
  EXECUTE format('CREATE TABLE %I (LIKE journal INCLUDING DEFAULTS INCLUDING INDEXES) WITH (toast_tuple_target = 3072)', name);
  -- Without this right an owner may not lock the table in releases before PostgreSQL 17.
  GRANT DELETE ON journal_other TO CURRENT_USER;
  -- Attaching would take this lock too; taken before the look, no row can come in between.
  LOCK TABLE journal_other IN ACCESS EXCLUSIVE MODE;
  IF EXISTS (SELECT 1 FROM journal_other WHERE at >= starts AND at < ends) THEN
    ALTER TABLE journal_other DISABLE TRIGGER journal_append_only;
    EXECUTE format(
      'WITH gone AS (DELETE FROM journal_other WHERE at >= $1 AND at < $2
         RETURNING run_id, seq, at, body, mac, hash, data, tx)
       INSERT INTO %I (run_id, seq, at, body, mac, hash, data, tx) SELECT * FROM gone ORDER BY tx', name)
      USING starts, ends;
    GET DIAGNOSTICS moved = ROW_COUNT;
    ALTER TABLE journal_other ENABLE TRIGGER journal_append_only;
  END IF;
  REVOKE DELETE ON journal_other FROM CURRENT_USER;
  EXECUTE format('ALTER TABLE journal ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, starts, ends);
  EXECUTE format(
    'CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON %I
     FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM PUBLIC, CURRENT_USER', name);
  RETURN moved;
END $$;

-- More than a year ahead; workers add the months after these.
SELECT add_journal_month(month::date) FROM generate_series(timestamp '2026-11-01', '2027-12-01', '1 month') AS month;
