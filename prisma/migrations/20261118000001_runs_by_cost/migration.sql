-- The first so many runs whose cost lies between two sums. The planner knows of no order among costs and would rather read all runs than the
-- index of their ranges; here that is taken from its choices, without a transaction around the question.
CREATE FUNCTION runs_by_cost(cost_min numeric, cost_max numeric, most integer) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT runs.id FROM runs WHERE runs.cost_usd >= cost_min AND runs.cost_usd <= cost_max LIMIT most;
END
$$;
