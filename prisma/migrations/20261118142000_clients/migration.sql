-- MCP clients that call tools through Kimitsu: the profile of a token, the sessions of a client, and which run answers
-- which call.

ALTER TABLE api_tokens ADD COLUMN profile text;
-- Such a token lies in the configuration of a client: it is good for nothing else.
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_profile_is_mcp_alone CHECK (profile IS NULL OR scopes = ARRAY['mcp']);

CREATE TABLE client_sessions (
    id text NOT NULL,
    token_id text NOT NULL,
    profile text NOT NULL,
    client_name text NOT NULL,
    client_version text NOT NULL,
    protocol_version text NOT NULL,
    transport_hash text,
    spent_usd numeric(14,6) NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at timestamptz(3),
    CONSTRAINT client_sessions_pkey PRIMARY KEY (id),
    CONSTRAINT client_sessions_spent CHECK (spent_usd >= 0),
    CONSTRAINT client_sessions_token_id_fkey FOREIGN KEY (token_id)
        REFERENCES api_tokens (id) ON DELETE CASCADE ON UPDATE CASCADE
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX client_sessions_transport_hash_key ON client_sessions (transport_hash);
CREATE INDEX client_sessions_token_id_last_seen_at_idx ON client_sessions (token_id, last_seen_at DESC);
CREATE INDEX client_sessions_last_seen_at_id_idx ON client_sessions (last_seen_at DESC, id);

ALTER TABLE runs ADD COLUMN session_id text;
ALTER TABLE runs ADD COLUMN client_key bytea;
ALTER TABLE runs ADD CONSTRAINT runs_session_id_fkey FOREIGN KEY (session_id)
    REFERENCES client_sessions (id) ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX runs_session ON runs (session_id, id DESC) WHERE session_id IS NOT NULL;
-- The same call made again, by the same token, finds its run as long as that is here.
CREATE UNIQUE INDEX runs_client_key ON runs (client_key) WHERE client_key IS NOT NULL;
