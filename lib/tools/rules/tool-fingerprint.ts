/** What a tool claims to be, as one hash: any change of the definition changes the fingerprint. */
import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/** A tool as its server lists it. Everything in it is a claim. */
export interface ToolDefinition {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema?: Readonly<Record<string, unknown>> | undefined;
  annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** `fingerprint` is over the whole definition; `shape` leaves the name out, so that a renamed tool is recognised. */
export interface ToolPin {
  fingerprint: string;
  shape: string;
}

/** `sha256:` over the canonical JSON (RFC 8785) of the six fields that people and models rely on. */
export function fingerprintTool(definition: ToolDefinition): string {
  const known = fingerprints.get(definition);
  if (known !== undefined) return known;
  const fingerprint = digest(pick(definition));
  fingerprints.set(definition, fingerprint);
  return fingerprint;
}

/** A definition is never changed, only replaced by what the server lists next. */
const fingerprints = new WeakMap<ToolDefinition, string>();

export function pinOf(definition: ToolDefinition): ToolPin {
  const { name: _name, ...rest } = pick(definition);
  return { fingerprint: fingerprintTool(definition), shape: digest(rest) };
}

/** One hash for all tools of a server, independent of their order. */
export function fingerprintToolSet(definitions: readonly ToolDefinition[]): string {
  const entries = definitions.map((definition) => [definition.name, fingerprintTool(definition)] as const);
  return digest(entries.toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)));
}

function pick({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition) {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function digest(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("unreachable: a definition has a canonical form");
  return `sha256:${hash("sha256", text)}`;
}
