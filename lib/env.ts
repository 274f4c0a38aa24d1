/** The only reader of `process.env`. Parsed once, on first use, so that `next build` needs no database. */
import { z } from "zod";

const flag = z
  .enum(["0", "1", "true", "false", "on", "off", ""])
  .default("")
  .transform((value) => ["1", "true", "on"].includes(value));

const envSchema = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  HOST: z.string().default("localhost"),
  KIMITSU_PROJECT: z.string().default("kimitsu"),
  KIMITSU_DATA: z.string().default(".kimitsu"),
  DATABASE_URL: z.string().optional(),
  /**
   * Connections of one process; Postgres allows 100 in all by default, so there is room for four processes and some
   * tools.
   */
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(20),
  KIMITSU_ENV: z.string().optional(),
  KIMITSU_ALLOW_HOSTS: z
    .string()
    .default("")
    .transform((value) =>
      value
        .split(",")
        .map((host) => host.trim())
        .filter(Boolean),
    ),
  KIMITSU_ALLOW_STDIO: flag,
  KIMITSU_ALLOW_BYPASS: flag,
  /** All folders of `kimitsu/files`, `kimitsu/shell` and `kimitsu/git` must lie in this one. Unset: anywhere. */
  KIMITSU_FILES_BASE: z.string().optional(),
  /** Lets `kimitsu/shell` run commands without a sandbox, with all rights of this process. */
  KIMITSU_ALLOW_UNSANDBOXED_SHELL: flag,
  KIMITSU_WORKERS: z.coerce.number().int().min(0).max(1024).default(16),
  /**
   * Where a process that only advances runs answers GET /healthz and /metrics, on HOST. Unset: not at all. The web
   * process has both on its own port.
   */
  KIMITSU_WORKER_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /**
   * Due runs that no process has claimed; while there are more, no run is started. A higher value lets a burst wait
   * longer before anyone notices.
   */
  KIMITSU_QUEUE_MAX: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /**
   * API requests per second of one token or person, counted by each web process; five seconds' worth may come at once.
   */
  KIMITSU_REQUESTS_PER_SECOND: z.coerce.number().int().min(1).max(100_000).default(200),
  /**
   * Requests that one web process works on at once. More would only wait for one another; web.mjs, which is not built,
   * reads it too.
   */
  KIMITSU_REQUESTS_MAX: z.coerce.number().int().min(1).max(100_000).default(500),
  /** Event streams of one person, over all their tabs and tokens, and of one web process. */
  KIMITSU_STREAMS_PER_PERSON: z.coerce.number().int().min(1).max(10_000).default(24),
  KIMITSU_STREAMS_MAX: z.coerce.number().int().min(1).max(100_000).default(500),
  /** True when a proxy in front sets X-Forwarded-For; otherwise the client could set that header, so it is ignored. */
  KIMITSU_TRUST_PROXY: flag,
  AUTH_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  /** Earlier values of AUTH_SECRET, so that sessions and audit records signed with them can still be checked. */
  AUTH_SECRET_1: z.string().optional(),
  AUTH_SECRET_2: z.string().optional(),
  AUTH_SECRET_3: z.string().optional(),
  AUTH_URL: z.string().optional(),
  AUTH_GITHUB_ID: z.string().optional(),
  AUTH_GITHUB_SECRET: z.string().optional(),
  AUTH_GOOGLE_ID: z.string().optional(),
  AUTH_GOOGLE_SECRET: z.string().optional(),
  AUTH_OIDC_ID: z.string().optional(),
  AUTH_OIDC_SECRET: z.string().optional(),
  AUTH_OIDC_ISSUER: z.string().optional(),
  AUTH_OIDC_NAME: z.string().default("Single sign-on"),
  KIMITSU_ADMIN_EMAIL: z.string().default("admin@localhost"),
  KIMITSU_ADMIN_PASSWORD: z.string().optional(),
  /**
   * The mail server for channels of type `email`, with its user and password: smtp://user:password@host:587, or
   * smtps:// for TLS from the start. Unset: no mail is sent.
   */
  KIMITSU_SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error: "must be the address of a mail server, such as smtp://user:password@mail.example.com:587",
    })
    .optional(),
  /** The sender of mail. */
  KIMITSU_MAIL_FROM: z.string().default("Kimitsu <kimitsu@localhost>"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  /** Where traces are sent (OTLP over HTTP, `/v1/traces` is added). Unset: none are made. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must be the address of an OTLP collector, such as http://localhost:4318" })
    .optional(),
  OTEL_SERVICE_NAME: z.string().default("kimitsu"),
  NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
  /**
   * Set by the start script when it starts the demo's tool server: on an empty database the demo starts runs of its
   * own.
   */
  KIMITSU_DEMO: flag,
  /** Set by the test runner only: pause points listen on this socket; see lib/testing/pause-points.ts. */
  KIMITSU_PAUSE_SOCKET: z.string().optional(),
});

export type Env = z.infer<typeof envSchema>;

/** Throws one error that names every variable that is wrong. An empty variable counts as absent. */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = envSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`Environment variables that cannot be used:\n${problems.join("\n")}`);
}

let parsed: Env | undefined;

export const env: Env = new Proxy({} as Env, {
  get: (_target, name) => (parsed ??= parseEnv(process.env))[name as keyof Env],
});

/** For the command line, which opens a database, and makes its secrets, after it has started. */
export function rereadEnv(): void {
  parsed = undefined;
}

/** The variables that workflows and the gateway declare are read from here by name, at the moment of use. */
export function processVariables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
