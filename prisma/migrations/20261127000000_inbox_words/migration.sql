-- The words of a row of the inbox, and its ids: taken apart at everything that is neither a letter nor a digit, so that each part of a tool's
-- name, an id or an address is a word. It says what it costs, which is far more than the planner assumes of a function: pages are then found by
-- the index, unless so many rows have the words that the first few in the order of the page fill it. What is new stands in a list that each search
-- reads from end to end, which is kept short.
CREATE FUNCTION approval_words(summary text, server text, tool text, agent text, workflow text, run_id text, call_id text, id text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 5000 AS $$
BEGIN
  RETURN to_tsvector('simple'::regconfig, regexp_replace(concat_ws(' ', summary, server, tool, agent, workflow, run_id, call_id, id), '[^[:alnum:]]+', ' ', 'g'));
END
$$;

CREATE INDEX approvals_pending_words ON approvals USING gin (approval_words(summary, server, tool, agent, workflow, run_id, call_id, id))
  WITH (gin_pending_list_limit = 64) WHERE status = 'pending';
