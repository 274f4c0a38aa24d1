-- An index that begins with the digest was taken for the way to one approval whose digest must be as seen, and led through every call that was
-- ever granted with the same arguments. What is looked for by arguments is always looked for by tool too.
DROP INDEX approvals_same;
CREATE INDEX approvals_same ON approvals (server, tool, digest) WHERE status IN ('pending', 'approved');

-- The chain of events as before. Whoever appends an event also gives the columns for reading, which were taken out of the body here for each one;
-- verification holds them against the body, as it always did. A row without them is still filled in.
CREATE OR REPLACE FUNCTION events_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last_seq integer;
  last_hash text;
  facts jsonb;
BEGIN
  IF pg_advisory_xact_lock(7461001, hashtext(NEW.chain_id)) IS NULL THEN
    RAISE EXCEPTION 'unreachable: a lock that is not taken does not return';
  END IF;
  SELECT seq, hash INTO last_seq, last_hash FROM events WHERE chain_id = NEW.chain_id ORDER BY seq DESC LIMIT 1;
  NEW.seq := coalesce(last_seq, 0) + 1;
  NEW.prev_hash := coalesce(last_hash, '');
  NEW.hash := encode(sha256(convert_to(
    '{"body":' || NEW.body || ',"mac":"' || NEW.mac || '","prev":"' || NEW.prev_hash || '","seq":' || NEW.seq || '}', 'UTF8')), 'hex');
  NEW.tx := pg_current_xact_id()::text::bigint;
  IF NEW.type IS NULL THEN
    facts := NEW.body::jsonb;
    NEW.type := facts ->> 'type';
    NEW.at := (facts ->> 'at')::timestamptz;
    NEW.actor_kind := (facts #>> '{actor,kind}')::actor_kind;
    NEW.actor_id := facts #>> '{actor,id}';
    NEW.actor_name := facts #>> '{actor,name}';
  END IF;
  RETURN NEW;
END $$;
