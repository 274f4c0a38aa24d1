/**
 * Meta mode: a client sees `search`, `load`, `execute` and `help` instead of every tool. This file is the contract with
 * the serving side, which gives the items of a profile and makes the call that `resolveExecute` names. Types alone.
 */
import type { DangerLevel } from "@/lib/policy/danger";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";

/** What the policy says of a tool before its arguments are known. */
export interface MetaPolicy {
  decision: "allow" | "ask" | "deny";
  reason: string;
  /** Roles or groups who may decide; empty: any reviewer. */
  approvers: readonly string[];
  minApprovals: number;
  /** True when a rule reads the arguments, so that a call may be decided differently. */
  dependsOnArguments: boolean;
}

/** A tool that the profile grants. */
export interface MetaTool {
  kind: "tool";
  /** The profile's name for the server. Null: it belongs to the project itself, and its name alone names it. */
  server: string | null;
  /** What `type:` filters by: `mcp` for a tool of a server, the language for a script. */
  type: string;
  /** The very object of the server's list: what is derived from it is kept for as long as it is. */
  definition: ToolDefinition;
  danger: DangerLevel;
  policy: MetaPolicy;
}

/** What can be searched, loaded and executed. Another kind of item joins this union, and is told apart by `kind`. */
export type MetaItem = MetaTool;

export interface MetaSource {
  /** Every server of the profile, in its order, whether or not it can be reached: the list of tools must not vary. */
  servers: readonly string[];
  /**
   * In the order in which they are shown when nothing else decides. Pass the same array for as long as nothing has
   * changed: the search index is kept by it.
   */
  items: readonly MetaItem[];
  /** Servers of the profile whose tools could not be listed, with the reason in words that a client may read. */
  unavailable: readonly { server: string; reason: string }[];
}

/** The answer to one call of a meta tool: `data` is given to the model as JSON. */
export interface MetaAnswer {
  isError: boolean;
  data: Readonly<Record<string, unknown>>;
}

/** What `execute` asks for. Nothing was judged yet: whether it may be made is the engine's to say. */
export interface ExecuteTarget {
  kind: "tool";
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

export type ExecuteResolution = { ok: true; target: ExecuteTarget } | { ok: false; answer: MetaAnswer };

/** A tool as `tools/list` has it. */
export interface MetaToolDefinition {
  name: "search" | "load" | "execute" | "help";
  description: string;
  inputSchema: { type: "object"; properties: Record<string, unknown>; required?: string[] };
  annotations?: { readOnlyHint: true };
}

/** Arguments are whatever the client sent. None of these throws for them. */
export interface Meta {
  tools: readonly MetaToolDefinition[];
  search(args: unknown): MetaAnswer;
  load(args: unknown): MetaAnswer;
  resolveExecute(args: unknown): ExecuteResolution;
  help(args: unknown): MetaAnswer;
}
