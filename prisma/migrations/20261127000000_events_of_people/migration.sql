-- What people were asked and said outside the inbox, by run: a handful among the ten thousand events that a run may have. Events are never changed, so that only
-- these few cost anything.
CREATE INDEX events_of_people ON events (chain_id, seq) WHERE type IN ('run.cancelled', 'call.outcome_unknown', 'call.settled', 'step.needs_human_review', 'step.reviewed');
