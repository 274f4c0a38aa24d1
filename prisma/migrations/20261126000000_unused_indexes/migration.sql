-- Nothing looks for calls by tool without a run or a step, nor for decisions by person: verdicts of a person are summed over a time, and
-- what a person has asked or decided is in the trail. Each was written with every call and every decision.
DROP INDEX "calls_server_tool_id_idx", "decisions_user_id_id_idx";
