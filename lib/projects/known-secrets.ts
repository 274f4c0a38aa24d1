/**
 * Every secret that this process can read: the variables marked secret, literals where a secret belongs, the
 * deployment's own, and whatever has the form of an API token. None of them is stored, whether a tool returns it or a
 * person types it. Values of a run's own params are sealed: they are searched for in what comes back to that run, and
 * opened for each search.
 */
import { findVariable, type Project } from "@/lib/config/project";
import { apiTokens } from "@/lib/people/rules/api-token";
import { createSecretMatcher, joinMatchers, type SecretMatcher } from "@/lib/text/secret-matcher";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { KimitsuError } from "@/lib/errors";

/**
 * Shorter values occur in ordinary text by chance; they are only searched for where the server itself was given them.
 */
const LENGTH_MIN = 8;

const OWN = [
  "AUTH_SECRET",
  "AUTH_SECRET_1",
  "AUTH_SECRET_2",
  "AUTH_SECRET_3",
  "AUTH_GITHUB_SECRET",
  "AUTH_GOOGLE_SECRET",
  "AUTH_OIDC_SECRET",
  "KIMITSU_ADMIN_PASSWORD",
];
/** These contain a password. */
const ADDRESSES = ["DATABASE_URL", "KIMITSU_SMTP_URL"];
const HEADERS = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"];
const OWN_VARIABLES = [...OWN, ...ADDRESSES, ...HEADERS];

type Variables = Readonly<Record<string, string | undefined>>;

interface KnownSecret {
  /** What it is called; a name is no secret. */
  name: string;
  value: string;
}

/**
 * Variables are read each time, and the matcher made from them is reused while they stay the same, because making one
 * takes milliseconds.
 */
const made = new WeakMap<Project, { read: readonly unknown[]; matcher: SecretMatcher }>();

export function matchKnownSecrets(project: Project, processEnv: Variables): SecretMatcher {
  const { declared } = secretPlaces(project);
  const read = [
    ...declared.map((entry) => findVariable(project, entry, processEnv)),
    ...OWN_VARIABLES.map((name) => processEnv[name]),
  ];
  const before = made.get(project);
  if (before && before.read.every((value, place) => value === read[place])) return before.matcher;
  const matcher = joinMatchers(
    createSecretMatcher(listKnownSecrets(project, processEnv).map(({ value }) => value)),
    apiTokens,
  );
  made.set(project, { read, matcher });
  return matcher;
}

/** For what comes back to a run, from any source: its secret params too, although they were given to another server. */
export function matchRunSecrets({
  loaded,
  deps,
  memory,
}: Pick<RunContext, "loaded" | "deps" | "memory">): SecretMatcher {
  const known = matchKnownSecrets(loaded.project, deps.processEnv);
  const own = keepLong(Object.entries(memory.openSecrets()).map(([name, value]) => ({ name, value })));
  return own.length === 0 ? known : joinMatchers(createSecretMatcher(own.map(({ value }) => value)), known);
}

/** For a process whose project cannot be read: the deployment's secrets alone. */
export function matchOwnSecrets(processEnv: Variables): SecretMatcher {
  return joinMatchers(createSecretMatcher(keepLong(listOwn(processEnv)).map(({ value }) => value)), apiTokens);
}

/** For what a person enters: `what` begins the refusal, as in "The comment holds the value of the secret CRM_KEY." */
export function refuseKnownSecrets(
  project: Project,
  processEnv: Variables,
  given: { path: string; what: string; value: unknown },
): void {
  if (given.value === undefined || given.value === null) return;
  const text = typeof given.value === "string" ? given.value : JSON.stringify(given.value);
  if (matchKnownSecrets(project, processEnv).replaceAll(text, () => "") === text) return;
  const found = listKnownSecrets(project, processEnv).find(
    ({ value }) => createSecretMatcher([value]).replaceAll(text, () => "") !== text,
  );
  const message = found ? `holds the value of the secret ${found.name}` : "holds an API token";
  throw new KimitsuError(
    "invalid_request",
    `${given.what} ${message}, which would be kept and shown. Nothing was done.`,
    { issues: [{ path: given.path, message }] },
  );
}

function listKnownSecrets(project: Project, processEnv: Variables): KnownSecret[] {
  const { declared, literals } = secretPlaces(project);
  return keepLong([
    ...declared.map((entry) => ({ name: entry.name, value: findVariable(project, entry, processEnv) })),
    ...listOwn(processEnv),
    ...literals,
  ]);
}

interface SecretPlaces {
  declared: Parameters<typeof findVariable>[1][];
  literals: { name: string; value: unknown }[];
}

/** A project never changes, and searching a large one for each turn of each run would be slow. */
const places = new WeakMap<Project, SecretPlaces>();

function secretPlaces(project: Project): SecretPlaces {
  const known = places.get(project);
  if (known) return known;
  const declared = [
    ...Object.values(project.workflows).flatMap(({ definition }) => definition.env),
    ...(project.gateway?.env ?? []),
    ...(project.policy?.env ?? []),
  ].filter(({ secret }) => secret);
  const found = {
    declared,
    literals: [...Object.values(project.servers).flatMap(listLiterals), ...listPlain(project)],
  };
  places.set(project, found);
  return found;
}

const listOwn = (processEnv: Variables) => [
  ...OWN.map((name) => ({ name, value: processEnv[name] })),
  ...ADDRESSES.map((name) => ({ name, value: passwordOf(processEnv[name]) })),
  ...HEADERS.flatMap((name) => headerValues(processEnv[name]).map((value) => ({ name, value }))),
];

const keepLong = (secrets: { name: string; value: unknown }[]): KnownSecret[] =>
  secrets.filter(
    (secret): secret is KnownSecret => typeof secret.value === "string" && secret.value.length >= LENGTH_MIN,
  );

function listLiterals({ name, definition }: Project["servers"][string]): { name: string; value: unknown }[] {
  const literal = /^`([^`]*)`$/.exec(definition.auth?.secret ?? "")?.[1];
  const defaults = Object.values(definition.params)
    .filter(({ secret }) => secret)
    .map((param) => param.default);
  return [literal, ...defaults].map((value) => ({ name: `of server ${name}`, value }));
}

/** The secret itself where a variable should be named: `validate` warns about it, and it is still a secret. */
function listPlain({ gateway, policy }: Project): { name: string; value: unknown }[] {
  const keys = (gateway?.providers ?? []).map(({ name, config }) => ({
    name: `of provider ${name}`,
    value: "api_key" in config ? config.api_key : undefined,
  }));
  const channels = (policy?.channels ?? []).map((channel) => ({
    name: `of channel ${channel.name}`,
    value: channel.type === "webhook" ? channel.secret : channel.type === "slack" ? channel.url : undefined,
  }));
  return [...keys, ...channels].filter(({ value }) => value !== undefined && !value.includes("{{"));
}

function passwordOf(address: string | undefined): string | undefined {
  return address && URL.canParse(address) ? decode(new URL(address).password) : undefined;
}

/**
 * As OpenTelemetry writes them: `name=value,name=value`, the values as in an address. A scheme such as `Bearer` is no
 * part of a secret.
 */
function headerValues(headers = ""): string[] {
  const values = headers.split(",").map((header) => header.slice(header.indexOf("=") + 1).trim());
  return values.flatMap((value) =>
    [value, decode(value)].map((text) => text.replace(/^(bearer|basic|token)( |%20)+/i, "")),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
