-- What Prisma cannot express: checks, partial and expression indexes, the audit chain, append-only tables.

-- Checks --------------------------------------------------------------------------------------------------------------

ALTER TABLE users ADD CONSTRAINT users_email_lower CHECK (email = lower(email) AND email <> '');

ALTER TABLE api_tokens
  ADD CONSTRAINT api_tokens_scopes_known CHECK (
    cardinality(scopes) > 0 AND scopes <@ ARRAY['runs:read', 'runs:write', 'approvals:read', 'approvals:decide', 'registry:read', 'audit:read', 'mcp', 'admin']),
  ADD CONSTRAINT api_tokens_decide_has_creator CHECK (NOT 'approvals:decide' = ANY (scopes) OR created_by_id IS NOT NULL);

ALTER TABLE runs
  ADD CONSTRAINT runs_settled_has_end CHECK ((status IN ('complete', 'failed', 'cancelled')) = (completed_at IS NOT NULL)),
  ADD CONSTRAINT runs_settled_is_still CHECK (status NOT IN ('complete', 'failed', 'cancelled') OR (wake_at IS NULL AND lease_owner IS NULL)),
  ADD CONSTRAINT runs_lease_whole CHECK ((lease_owner IS NULL) = (lease_until IS NULL)),
  ADD CONSTRAINT runs_failed_has_error CHECK (status <> 'failed' OR error IS NOT NULL),
  ADD CONSTRAINT runs_figures_not_negative CHECK (
    tokens_in >= 0 AND tokens_out >= 0 AND cost_usd >= 0 AND cost_reserved_usd >= 0 AND llm_calls >= 0 AND tool_calls >= 0 AND epoch >= 0);

ALTER TABLE steps
  ADD CONSTRAINT steps_item_has_parent CHECK (item_index IS NULL OR parent_id IS NOT NULL),
  ADD CONSTRAINT steps_settled_has_end CHECK ((status IN ('complete', 'failed', 'skipped', 'cancelled')) = (completed_at IS NOT NULL));

ALTER TABLE turns ADD CONSTRAINT turns_number_positive CHECK (number > 0);

ALTER TABLE calls
  ADD CONSTRAINT calls_digest_form CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
  ADD CONSTRAINT calls_executing_has_epoch CHECK (status <> 'executing' OR (executing_at IS NOT NULL AND epoch IS NOT NULL)),
  ADD CONSTRAINT calls_sent_was_executing CHECK (status NOT IN ('succeeded', 'outcome_unknown') OR executing_at IS NOT NULL),
  ADD CONSTRAINT calls_refused_never_sent CHECK (status NOT IN ('denied', 'rejected', 'expired') OR executing_at IS NULL),
  ADD CONSTRAINT calls_settled_has_end CHECK (
    (status IN ('denied', 'rejected', 'expired', 'cancelled', 'succeeded', 'failed')) = (completed_at IS NOT NULL));

ALTER TABLE approvals
  ADD CONSTRAINT approvals_decided_has_time CHECK ((status = 'pending') = (decided_at IS NULL)),
  ADD CONSTRAINT approvals_min_positive CHECK (min_approvals > 0),
  ADD CONSTRAINT approvals_quorum_before_grant CHECK (status <> 'approved' OR approvals >= min_approvals);

ALTER TABLE decisions ADD CONSTRAINT decisions_edit_needs_approval CHECK (arguments_canonical IS NULL OR verdict = 'approved');

ALTER TABLE throttles ADD CONSTRAINT throttles_count_not_negative CHECK (count >= 0);

-- Indexes -------------------------------------------------------------------------------------------------------------

-- The queue: only rows that wait for their time and belong to nobody are in it.
CREATE INDEX runs_runnable ON runs (wake_at) WHERE wake_at IS NOT NULL AND lease_owner IS NULL;
CREATE INDEX runs_leased ON runs (lease_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX runs_search ON runs USING gin (to_tsvector('simple', search_text));

CREATE UNIQUE INDEX steps_once ON steps (run_id, parent_id, key, item_index) NULLS NOT DISTINCT;

CREATE INDEX calls_executing ON calls (run_id) WHERE status IN ('executing', 'outcome_unknown');

CREATE UNIQUE INDEX approvals_one_pending ON approvals (call_id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_age ON approvals (id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_expiry ON approvals (expires_at NULLS LAST, id) WHERE status = 'pending';
CREATE INDEX approvals_pending_by_danger ON approvals (danger DESC, id) WHERE status = 'pending';
CREATE INDEX approvals_escalating ON approvals (escalate_at) WHERE status = 'pending' AND escalate_at IS NOT NULL AND escalated_at IS NULL;

CREATE INDEX outbox_due ON outbox (available_at) WHERE delivered_at IS NULL;

-- The audit chain -----------------------------------------------------------------------------------------------------

-- The application gives id, chain_id, body and mac. Place, hash and the columns for reading are made here, under a lock on
-- the chain, so that one statement can move a state and append its event without knowing the event before it. The text
-- that is hashed is itself canonical JSON: its keys are sorted and `body` already is.
CREATE FUNCTION events_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head record;
  facts jsonb := NEW.body::jsonb;
BEGIN
  PERFORM pg_advisory_xact_lock(7461001, hashtext(NEW.chain_id));
  SELECT seq, hash INTO head FROM events WHERE chain_id = NEW.chain_id ORDER BY seq DESC LIMIT 1;
  NEW.seq := coalesce(head.seq, 0) + 1;
  NEW.prev_hash := coalesce(head.hash, '');
  NEW.hash := encode(sha256(convert_to(
    '{"body":' || NEW.body || ',"mac":"' || NEW.mac || '","prev":"' || NEW.prev_hash || '","seq":' || NEW.seq || '}', 'UTF8')), 'hex');
  NEW.tx := pg_current_xact_id()::text::bigint;
  NEW.type := facts ->> 'type';
  NEW.at := (facts ->> 'at')::timestamptz;
  NEW.actor_kind := (facts #>> '{actor,kind}')::actor_kind;
  NEW.actor_id := facts #>> '{actor,id}';
  NEW.actor_name := facts #>> '{actor,name}';
  RETURN NEW;
END $$;

CREATE TRIGGER events_chain BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION events_chain();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER anchors_append_only BEFORE UPDATE OR DELETE ON anchors FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER anchors_no_truncate BEFORE TRUNCATE ON anchors FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_append_only BEFORE UPDATE OR DELETE ON decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decisions_no_truncate BEFORE TRUNCATE ON decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The right is taken from the owner too: a superuser or a deliberate GRANT is needed before a row can even be tried.
REVOKE UPDATE, DELETE, TRUNCATE ON events, anchors, decisions FROM PUBLIC, CURRENT_USER;
