-- The outbox was never written to. Messages to channels are found from the events, which are written with what causes them, so that no
-- transition needs to know of channels; each event makes at most one message per channel.
DROP TABLE outbox;

CREATE TYPE notice_outcome AS ENUM ('sent', 'failed', 'not_needed');

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

CREATE UNIQUE INDEX notices_channel_event_id_key ON notices (channel, event_id);
CREATE INDEX notices_channel_id_idx ON notices (channel, id DESC);
CREATE INDEX notices_due ON notices (channel, due_at) WHERE ended_at IS NULL;
CREATE INDEX notices_over ON notices (ended_at) WHERE ended_at IS NOT NULL;
