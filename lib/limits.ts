/** Every tunable of the system, with its unit and what changing it does. */

/** Shorter passwords are refused. Longer is safer; generated ones have 24 characters. */
export const PASSWORD_LENGTH_MIN = 12;
/** Longer passwords are refused before they are hashed, so that nobody makes the server hash megabytes. */
export const PASSWORD_LENGTH_MAX = 256;

/** Failed sign-ins at one account from one network within the window; more are refused until it ends. */
export const SIGN_IN_ATTEMPTS_PER_PAIR = 10;
/**
 * The same from all networks together. Several times as high, so that one stranger cannot use it up; lower slows
 * guessing from many machines.
 */
export const SIGN_IN_ATTEMPTS_PER_ACCOUNT = 30;
/** Failed sign-ins per network at any accounts within the window. Higher, because an office shares one address. */
export const SIGN_IN_ATTEMPTS_PER_ADDRESS = 50;
/**
 * Failed sign-ins in a browser in which the person has signed in before; only this limit applies to it, so that
 * strangers cannot lock them out.
 */
export const SIGN_IN_ATTEMPTS_PER_BROWSER = 10;
/** How long a browser stays known after a sign-in. */
export const KNOWN_BROWSER_AGE_MAX_S = 180 * 24 * 3600;
export const SIGN_IN_WINDOW_MS = 15 * 60_000;

/**
 * Requests with an unknown token per network within the window; a token has 256 bits, so this is about load, not
 * guessing.
 */
export const BAD_TOKENS_PER_ADDRESS = 60;
export const BAD_TOKEN_WINDOW_MS = 60_000;

/** A token's last use is written at most this often, so that most reads cause no write. */
export const TOKEN_LAST_USE_EVERY_MS = 60_000;

/** A session ends this long after its last use. */
export const SESSION_AGE_MAX_S = 7 * 24 * 3600;

/** Larger request bodies are refused with 413 before they are parsed. */
export const BODY_SIZE_BYTES_MAX = 1024 * 1024;

/**
 * How long an answer of /readyz is cached, in each process. Anyone may ask, so a shorter time lets strangers query the
 * database more often.
 */
export const READINESS_AGE_MAX_MS = 1_000;
/**
 * How long a count of the queue is cached, in each process. Longer lets more runs in past the limit, shorter counts
 * more often.
 */
export const QUEUE_COUNT_AGE_MAX_MS = 1_000;
/** When to try again to start a run after the queue was full. */
export const QUEUE_RETRY_AFTER_S = 5;
/** Requests that one caller may send at once, in seconds of its rate. Shorter refuses clients that send in bursts. */
export const REQUEST_BURST_S = 5;
/**
 * Statements of one process that wait for a connection; while there are more, API requests are refused. Each waits for
 * those before it, so a higher value makes all wait longer.
 */
export const DATABASE_WAITING_MAX = 400;
/** When to try again after a process was overloaded. */
export const OVERLOAD_RETRY_AFTER_S = 2;
/** When to open an event stream again after there were too many. Browsers get this value with every stream. */
export const STREAM_RETRY_AFTER_S = 5;

/**
 * How often a process checks whether those who have event streams open may still listen. A disabled person receives
 * events for this long at most.
 */
export const LISTENER_CHECK_INTERVAL_MS = 2_000;

/** A worker writes its heartbeat this often. */
export const HEARTBEAT_INTERVAL_MS = 2_000;
/** A worker without a heartbeat for this long counts as gone, and /readyz says so. */
export const HEARTBEAT_STALE_MS = 10_000;

/**
 * How often a worker checks whether the database was failed over. Until it has checked, no run continues; shorter
 * queries the database more often.
 */
export const HISTORY_INTERVAL_MS = 500;

/** New chain heads are anchored this often. An event removed within this time after it was written can go unnoticed. */
export const ANCHOR_INTERVAL_MS = 3_000;

/** Rows of a list's page. */
export const PAGE_SIZE = 50;
export const PAGE_SIZE_MAX = 200;
/**
 * Larger arguments are left out of lists of approvals, and read with the single approval. Higher makes a page of them
 * larger.
 */
export const LISTED_ARGUMENTS_BYTES_MAX = 16 * 1024;
/**
 * Exports that one person can have in progress, per process. Each reads the database for as long as its reader takes.
 */
export const EXPORTS_PER_PERSON_MAX = 2;
export const EXPORT_RETRY_AFTER_S = 10;
/** When the database is down, callers of the API are asked to try again after this. */
export const DATABASE_AWAY_RETRY_AFTER_S = 5;
/**
 * Longer results are left out of lists of calls, whose pages would otherwise be as large as all results together; the
 * single call has them.
 */
export const CALL_RESULT_LISTED_BYTES_MAX = 64 * 1024;
/** Views of History that one person can keep; all of them are shown in one row of links. */
export const SAVED_VIEWS_MAX = 30;

/**
 * A run whose worker did not renew its lease for this long is taken over. Shorter takes over sooner, but also from
 * processes that are merely slow.
 */
export const LEASE_MS = 5_000;
/** Well under a third of the lease, so that one lost renewal costs nothing. */
export const LEASE_RENEW_INTERVAL_MS = 1_500;
/**
 * With a lease renewed longer ago than this, nothing more is sent: what was sent before has arrived when the lease
 * ends.
 */
export const LEASE_SEND_MS = LEASE_MS - LEASE_RENEW_INTERVAL_MS;
/** How often a worker polls for runs; this finds runs whose notification was missed. */
export const CLAIM_POLL_INTERVAL_MS = 500;
/**
 * How often the one process that searches for dead ones does so, and how often the others check whether it is dead
 * itself. Longer takes over later.
 */
export const TAKEOVER_POLL_INTERVAL_MS = 250;
/**
 * A process whose lock is missing for this long counts as dead. A live one reconnects within it; a shorter time takes
 * runs from live ones.
 */
export const TAKEOVER_GRACE_MS = 500;
/**
 * After the database was down, everyone gets this long to renew their leases before anyone takes over. Longer than the
 * renewal's interval.
 */
export const TAKEOVER_GRACE_AFTER_OUTAGE_MS = 2_500;
/** A process that ends waits this long for calls that were sent; then it exits, and their outcome is unknown. */
export const SHUTDOWN_PATIENCE_MS = 9_000;
/**
 * A run that could not be advanced because of our own fault is tried again after this, then after twice as long, and so
 * on.
 */
export const FAULT_BACKOFF_MS = 1_000;
export const FAULT_BACKOFF_MAX_MS = 5 * 60_000;
/**
 * How long the result of an outside call is held in memory while the database is down or read-only, before it is given
 * up. A failover takes half a minute with Patroni's defaults, and more on a busy machine; a shorter time asks people to
 * settle calls that were answered.
 */
export const COMMIT_RETRY_MS = 120_000;
/** How often approvals that expire or escalate are searched for; a card can stay open for this long after its time. */
export const TIMER_SWEEP_INTERVAL_MS = 500;
/** Timers handled in one sweep; the rest follow at once. */
export const TIMER_SWEEP_BATCH = 200;

/**
 * The counts of /metrics that are read from the database stop here. Higher makes each scrape more expensive where very
 * many runs wait.
 */
export const GAUGE_COUNT_MAX = 10_000;

/** A run that has spent this share of its budget gets an event on its trail. Lower warns earlier. */
export const BUDGET_WARNING_SHARE = 0.8;

/**
 * An approval of a high or critical call within this time after it was asked counts as very quick on Insights: nobody
 * reads a card and its arguments sooner. Longer blames people who are merely quick to respond.
 */
export const QUICK_APPROVAL_MS = 5_000;
/** A rule counts as one that never rejected after this many approvals. Fewer would list every rule that is new. */
export const UNREJECTED_RULE_APPROVALS_MIN = 5;
/** Insights covers this many days at most, so that no address makes the database read years. */
export const INSIGHTS_DAYS_MAX = 366;

/**
 * A call that was set aside returns at least this long before it expires. Shorter leaves less time to decide, longer
 * makes "not now" shorter.
 */
export const RETURN_BEFORE_EXPIRY_MS = 15 * 60_000;
/**
 * A call can be extended until this long after it was asked, whatever its timeout. Longer lets calls wait with
 * arguments that nobody remembers.
 */
export const EXTENSION_MS_MIN = 7 * 24 * 3_600_000;
/** And until this many times its rule's timeout, where that is longer. */
export const EXTENSION_TIMEOUTS = 3;
/** Nobody can set a call aside for longer: asking for more is more likely a mistake. */
export const ASIDE_MINUTES_MAX = 30 * 24 * 60;
/** Longer notes and comments are refused. */
export const NOTE_LENGTH_MAX = 2_000;
/**
 * A viewer of a card is shown to the others for this long after their last renewal. Longer than two renewals, so that a
 * lost one does not make them flicker.
 */
export const LOOK_MS = 40_000;

/**
 * How often the journal is projected: lists across runs lag by this and a moment. Shorter queries the database more
 * often.
 */
export const PROJECTION_INTERVAL_MS = 250;

/**
 * How often channels are processed: a message is sent this long after its event, at most. Shorter queries the database
 * more often.
 */
export const NOTICE_INTERVAL_MS = 1_000;
/** Messages of one channel that are sent at once; those of a chat or mail channel become one message. */
export const NOTICE_BATCH_MAX = 50;
/**
 * How long a process has to send the messages it took; after that another one sends them, so a message may arrive
 * twice, but is never lost.
 */
export const NOTICE_HOLD_MS = 2 * 60_000;
/** A channel that does not answer within this time counts as unreachable. */
export const NOTICE_TIMEOUT_MS = 10_000;
/** After a failure that may pass a message is tried again after this, then after twice as long, and so on. */
export const NOTICE_BACKOFF_MS = 5_000;
export const NOTICE_BACKOFF_MAX_MS = 15 * 60_000;
/** Tries after which a message is given up: some two hours. */
export const NOTICE_ATTEMPTS_MAX = 15;
/** How long sent messages can be looked up. */
export const NOTICE_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * A call that people approved, or an agent that cannot list its tools, and whose server is unreachable is tried again
 * after each of these, with the run parked meanwhile; then it fails. Together they outlast the restart of a server;
 * longer makes people wait for a server that is gone.
 */
export const SERVER_AWAY_WAITS_MS = [3_000, 9_000] as const;

/**
 * No tool server is checked more often than this without a run that uses it; one that did not answer is checked again
 * after it.
 */
export const SERVER_LOOK_INTERVAL_MS = 60_000;

/**
 * How long statements that are committed together wait for a row that somebody else has locked; then that statement
 * waits alone. Shorter splits groups that would have waited for another process's commit, longer delays other runs.
 */
export const GROUP_LOCK_WAIT_MS = 200;

/**
 * A projector that is stopped within its transaction delays all projections for this long. Shorter interrupts one that
 * folds a very long run.
 */
export const PROJECTOR_IDLE_MS = 10_000;

/** A client that states no session of its own gets a new one after this long without a request. */
export const SESSION_GAP_MS = 30 * 60_000;
/** A session's last request is written at most this often, so that most requests cause no write. */
export const SESSION_LAST_SEEN_EVERY_MS = 60_000;
/** Larger bodies of MCP requests are refused with 413. Clients send arguments of tools in them. */
export const MCP_BODY_BYTES_MAX = 4 * 1024 * 1024;
/**
 * How often a process checks whether the tokens of open sessions and held requests are still valid. A revoked one is
 * served for this long at most.
 */
export const MCP_TOKEN_CHECK_INTERVAL_MS = 500;
/** Requests of one token that one process keeps open while people decide; more are refused. Each holds a connection. */
export const MCP_HELD_PER_TOKEN_MAX = 1_000;
/** Sessions of one token that one process holds in memory; the oldest unused one is closed for the next. */
export const MCP_SESSIONS_PER_TOKEN_MAX = 200;
/** A session that no request used for this long is closed; the next request opens it again from its row. */
export const MCP_SESSION_IDLE_MS = 30 * 60_000;
/** How often a client that asked for progress hears that its call still waits. Clients give up after a minute. */
export const MCP_PROGRESS_INTERVAL_MS = 15_000;
/** How often a client should ask again about a task, or about a call that waits. */
export const MCP_POLL_INTERVAL_MS = 5_000;
