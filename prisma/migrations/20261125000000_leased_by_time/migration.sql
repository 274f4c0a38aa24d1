-- Every write of a worker names the owner of its run's lease, and so fitted this index: a plan made while few runs were held went through all of them,
-- and through what earlier leases had left behind, instead of straight to the run. Whoever looks for leases that ran out names their time.
DROP INDEX runs_leased;
CREATE INDEX runs_leased ON runs (lease_until) WHERE lease_until IS NOT NULL;
