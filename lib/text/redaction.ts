/**
 * Removes secrets from arguments and results before they are stored or shown. What is left in their place says the
 * type, the length and a keyed fingerprint, so that a reviewer can see "the same value as in call 3".
 */
import { isSecret } from "@/lib/config/secret-ref";
import type { SecretMatcher } from "./secret-matcher";
import { childSchemas, isSecretSchema, type Schema } from "./secret-schema";

export interface Redacted {
  $redacted: {
    kind: "string" | "number" | "array" | "object" | "secret";
    /** Characters of the text, or of the JSON of anything else. */
    length: number;
    fingerprint: string;
  };
}

export interface RedactionOptions {
  /** A keyed hash, so that a fingerprint cannot be found by trying likely values. */
  fingerprint: (value: string) => string;
  /** The secrets in use, at the moment of use. */
  matcher?: SecretMatcher;
  /** The JSON Schema of the value; `secret: true`, `writeOnly` and `format: password` mark secrets. */
  schema?: Schema;
  /** Called with everything that is removed. */
  onTakenOut?: (value: unknown) => void;
}

/** Deeper values are removed whole: nothing unread may pass. */
const NESTING_MAX = 100;

/**
 * Key names, without case and separators, that hold secrets in practice. Few, because a card that hides too much is
 * useless.
 */
const SECRET_NAMES = new Set([
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "secret",
  "clientsecret",
  "apikey",
  "apisecret",
  "apitoken",
  "accesskey",
  "secretkey",
  "secretaccesskey",
  "accesstoken",
  "refreshtoken",
  "idtoken",
  "authtoken",
  "bearertoken",
  "sessiontoken",
  "token",
  "authorization",
  "proxyauthorization",
  "privatekey",
  "credential",
  "credentials",
  "cookie",
  "setcookie",
  "xapikey",
]);

export function redact(value: unknown, options: RedactionOptions): unknown {
  return walk(value, { schemas: options.schema === undefined ? [] : [options.schema], depth: 0 }, options);
}

/** Shorter values under such a name occur in ordinary text by chance. */
const ECHO_LENGTH_MIN = 6;

/**
 * The texts that arguments hide by the names or the schema of their fields: a tool may return them in a sentence, where
 * no name marks them.
 */
export function listHidden(value: unknown, schema?: Schema): string[] {
  const found: string[] = [];
  const collect = (inner: unknown): void => {
    if (typeof inner === "string" || typeof inner === "number") found.push(String(inner));
    else if (inner !== null && typeof inner === "object" && !isSecret(inner)) Object.values(inner).forEach(collect);
  };
  redact(value, { fingerprint: () => "", onTakenOut: collect, ...(schema === undefined ? {} : { schema }) });
  return found.filter((text) => text.length >= ECHO_LENGTH_MIN);
}

/** For text that is not JSON, such as error messages and log lines. */
export function redactText(
  text: string,
  { matcher, fingerprint }: Pick<RedactionOptions, "matcher" | "fingerprint">,
): string {
  return matcher ? matcher.replaceAll(text, (secret) => `[secret ${fingerprint(secret)}]`) : text;
}

interface Place {
  /** All schemas that apply at this place. */
  schemas: Schema[];
  depth: number;
}

function walk(value: unknown, { schemas, depth }: Place, options: RedactionOptions): unknown {
  const below = (key: string | number) => ({ schemas: childSchemas(schemas, options.schema, key), depth: depth + 1 });
  if (value === null || value === undefined || typeof value === "boolean") return value;
  if (isSecret(value))
    return {
      $redacted: { kind: "secret", length: 0, fingerprint: options.fingerprint(JSON.stringify(value.sources)) },
    } satisfies Redacted;
  if (depth > NESTING_MAX || isSecretSchema(schemas, options.schema)) return takeOut(value, options);
  if (typeof value === "string")
    return options.matcher?.equals(value) ? takeOut(value, options) : redactText(value, options);
  if (typeof value === "number") return options.matcher?.equals(String(value)) ? takeOut(value, options) : value;
  if (typeof value !== "object") return takeOut(String(value), options);
  if (Array.isArray(value)) {
    return value.map((entry, index) => walk(entry, below(index), options));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      redactText(escapeKey(key), options),
      hasSecretName(key) && isWorthHiding(entry) ? takeOut(entry, options) : walk(entry, below(key), options),
    ]),
  );
}

function takeOut(value: unknown, { fingerprint, onTakenOut }: RedactionOptions): Redacted {
  onTakenOut?.(value);
  const text = typeof value === "string" ? value : stringify(value);
  const kind = Array.isArray(value)
    ? "array"
    : typeof value === "number"
      ? "number"
      : typeof value === "object"
        ? "object"
        : "string";
  return { $redacted: { kind, length: text.length, fingerprint: fingerprint(text) } };
}

/** A value that cannot be written as JSON is removed too. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

function hasSecretName(key: string): boolean {
  return SECRET_NAMES.has(key.toLowerCase().replaceAll(/[-_\s.]/g, ""));
}

/** An absent, empty or true/false value under such a name is not a secret, and showing it helps. */
function isWorthHiding(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "" && typeof value !== "boolean" && !isSecret(value);
}

/**
 * A model could pass an object that looks redacted in order to hide it; its key gets another `$`, which gives it away.
 */
function escapeKey(key: string): string {
  return /^\$+redacted$/.test(key) ? `$${key}` : key;
}
