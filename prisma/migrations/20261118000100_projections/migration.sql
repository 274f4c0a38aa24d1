-- Projections: tables for questions across runs, filled from the journal and made anew at will. Nothing is decided by
-- them.

CREATE TYPE step_type AS ENUM ('agent', 'transform', 'webhook', 'workflow');
CREATE TYPE step_status AS ENUM (
    'pending', 'running', 'pending_approval', 'needs_human_review', 'complete', 'failed', 'skipped', 'cancelled'
);
CREATE TYPE call_status AS ENUM (
    'denied', 'pending_approval', 'approved', 'rejected', 'expired', 'cancelled', 'executing',
    'succeeded', 'failed', 'outcome_unknown'
);
CREATE TYPE decision_verdict AS ENUM ('approved', 'rejected');

CREATE TABLE steps (
    id text NOT NULL,
    run_id text NOT NULL,
    key text NOT NULL,
    type step_type NOT NULL,
    status step_status NOT NULL DEFAULT 'pending',
    parent_id text,
    item_index integer,
    agent text,
    input jsonb,
    output jsonb,
    raw_output jsonb,
    error jsonb,
    degraded boolean NOT NULL DEFAULT false,
    state jsonb NOT NULL DEFAULT '{}',
    tokens_in integer NOT NULL DEFAULT 0,
    tokens_out integer NOT NULL DEFAULT 0,
    cost_usd numeric(14, 6) NOT NULL DEFAULT 0,
    llm_calls integer NOT NULL DEFAULT 0,
    tool_calls integer NOT NULL DEFAULT 0,
    started_at timestamptz(3),
    completed_at timestamptz(3),
    CONSTRAINT steps_pkey PRIMARY KEY (id),
    CONSTRAINT steps_item_has_parent CHECK (item_index IS NULL OR parent_id IS NOT NULL),
    CONSTRAINT steps_settled_has_end CHECK (
        (status IN ('complete', 'failed', 'skipped', 'cancelled')) = (completed_at IS NOT NULL)),
    CONSTRAINT steps_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE RESTRICT ON UPDATE CASCADE
) WITH (fillfactor = 75);
CREATE INDEX steps_run_id_id_idx ON steps (run_id, id);

CREATE TABLE turns (
    id text NOT NULL,
    run_id text NOT NULL,
    step_id text NOT NULL,
    number integer NOT NULL,
    model text NOT NULL,
    request jsonb NOT NULL,
    response jsonb NOT NULL,
    tokens_in integer NOT NULL,
    tokens_out integer NOT NULL,
    cost_usd numeric(14, 6) NOT NULL,
    duration_ms integer NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT turns_pkey PRIMARY KEY (id),
    CONSTRAINT turns_number_positive CHECK (number > 0),
    CONSTRAINT turns_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX turns_run_id_id_idx ON turns (run_id, id);
CREATE INDEX turns_by_time ON turns (created_at, model, tokens_in, tokens_out, cost_usd);

CREATE TABLE calls (
    id text NOT NULL,
    run_id text NOT NULL,
    step_id text NOT NULL,
    turn_id text,
    parent_call_id text,
    model_call_id text,
    agent text NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    status call_status NOT NULL,
    danger danger NOT NULL,
    arguments jsonb NOT NULL,
    arguments_canonical text NOT NULL,
    digest text NOT NULL,
    definition_fingerprint text,
    policy_hash text NOT NULL,
    trace jsonb NOT NULL,
    agent_says text,
    summary text NOT NULL DEFAULT '',
    attempt integer NOT NULL DEFAULT 0,
    epoch integer,
    retry_safe boolean NOT NULL DEFAULT false,
    result jsonb,
    error jsonb,
    cost_usd numeric(14, 6) NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    executing_at timestamptz(3),
    settled_at timestamptz(3),
    completed_at timestamptz(3),
    CONSTRAINT calls_pkey PRIMARY KEY (id),
    CONSTRAINT calls_digest_form CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    CONSTRAINT calls_executing_has_epoch CHECK (
        status <> 'executing' OR (executing_at IS NOT NULL AND epoch IS NOT NULL)),
    CONSTRAINT calls_sent_was_executing CHECK (
        status NOT IN ('succeeded', 'outcome_unknown') OR executing_at IS NOT NULL),
    CONSTRAINT calls_refused_never_sent CHECK (status NOT IN ('denied', 'rejected', 'expired') OR executing_at IS NULL),
    CONSTRAINT calls_settled_has_end CHECK (
        (status IN ('denied', 'rejected', 'expired', 'cancelled', 'succeeded', 'failed')) = (completed_at IS NOT NULL)),
    CONSTRAINT calls_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT calls_step_id_fkey FOREIGN KEY (step_id) REFERENCES steps (id) ON DELETE RESTRICT ON UPDATE CASCADE
) WITH (fillfactor = 75);
CREATE INDEX calls_run_id_id_idx ON calls (run_id, id);
CREATE INDEX calls_step_id_id_idx ON calls (step_id, id);

CREATE TABLE decisions (
    id text NOT NULL,
    approval_id text NOT NULL,
    user_id text NOT NULL,
    token_id text,
    verdict decision_verdict NOT NULL,
    comment text,
    reason text,
    digest text NOT NULL,
    arguments_canonical text,
    address text,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT decisions_pkey PRIMARY KEY (id),
    CONSTRAINT decisions_edit_needs_approval CHECK (arguments_canonical IS NULL OR verdict = 'approved'),
    CONSTRAINT decisions_approval_id_fkey FOREIGN KEY (approval_id)
        REFERENCES approvals (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT decisions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT decisions_token_id_fkey FOREIGN KEY (token_id)
        REFERENCES api_tokens (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX decisions_by_time ON decisions (created_at, approval_id, user_id, verdict);
CREATE UNIQUE INDEX decisions_approval_id_user_id_key ON decisions (approval_id, user_id);

CREATE TABLE events (
    id text NOT NULL,
    chain_id text NOT NULL,
    seq integer NOT NULL,
    place integer NOT NULL,
    type text NOT NULL,
    at timestamptz(3) NOT NULL,
    actor_kind actor_kind NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    data jsonb NOT NULL,
    tx bigint NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_at ON events USING brin (at) WITH (pages_per_range = 32, autosummarize = on);
CREATE UNIQUE INDEX events_chain_id_seq_place_key ON events (chain_id, seq, place);
-- What the engine writes in every run is found soon in the order of ids, so that only the rest is indexed by kind and
-- person.
CREATE INDEX events_by_type ON events (type, id DESC) WHERE type NOT IN (
  'run.created', 'run.started', 'run.resumed', 'run.parked', 'run.completed', 'step.started', 'step.complete',
  'turn.recorded', 'call.allowed', 'call.approved', 'call.pending_approval', 'call.executing', 'call.succeeded',
  'approval.requested', 'approval.decided');
CREATE INDEX events_by_actor ON events (actor_id, id DESC) WHERE actor_kind <> 'system';
-- What people were asked and said outside the inbox, by run: a handful among the ten thousand events that a run may
-- have.
CREATE INDEX events_of_people ON events (chain_id, seq) WHERE type IN (
  'run.cancelled', 'call.outcome_unknown', 'call.settled', 'step.needs_human_review', 'step.reviewed');

-- How far the projections of a chain have come.
CREATE TABLE projected_runs (
    run_id text NOT NULL,
    seq integer NOT NULL,
    CONSTRAINT projected_runs_pkey PRIMARY KEY (run_id)
);

-- What lists of runs search for: what a run is, who started it and with what. The words of a run never change.
CREATE FUNCTION run_words(
  id text, retry_of_run_id text, workflow text, agents text[], started_by_name text, params jsonb
) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('simple', left(
    concat_ws(' ', id, retry_of_run_id, workflow, array_to_string(agents, ' '), started_by_name, params), 8000))
$$;
-- The words are kept, because taking a text apart for each search takes most of its time.
CREATE TABLE run_search (
    run_id text NOT NULL,
    agents text[] NOT NULL,
    words tsvector NOT NULL,
    CONSTRAINT run_search_pkey PRIMARY KEY (run_id),
    CONSTRAINT run_search_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX run_search_agents_idx ON run_search USING gin (agents);
CREATE INDEX run_search_words ON run_search USING gin (words);

-- The words of a row of the inbox, and its ids: taken apart at everything that is neither a letter nor a digit, so
-- that each part of a tool's name, an id or an address is a word.
CREATE FUNCTION approval_words(
  summary text, server text, tool text, agent text, workflow text, run_id text, call_id text, id text
) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('simple', regexp_replace(
    concat_ws(' ', summary, server, tool, agent, workflow, run_id, call_id, id), '[^[:alnum:]]+', ' ', 'g'))
$$;
-- Of pending approvals alone, and of one that is decided until the projector comes by: whoever reads it asks the
-- approval, to which no key leads, so that nobody locks what people decide. `version` is the approval's whose words
-- they are: a question can change while it waits. What is new stands in a list that each search reads from end to end,
-- which is kept short.
CREATE TABLE approval_search (
    approval_id text NOT NULL,
    version integer NOT NULL,
    words tsvector NOT NULL,
    CONSTRAINT approval_search_pkey PRIMARY KEY (approval_id)
);
CREATE INDEX approval_search_words ON approval_search USING gin (words) WITH (gin_pending_list_limit = 64);
