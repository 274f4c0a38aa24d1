/**
 * The names under which a model knows tools: `mcp__<server>__<tool>`, within what every provider accepts, in both
 * directions. Pure.
 */
import { createHash } from "node:crypto";
import { modelFacingName } from "@/lib/config/builtin-servers";

/** The strictest provider limit: OpenAI takes 64 characters of this alphabet, Anthropic 128. */
export const MODEL_NAME_LENGTH_MAX = 64;
const HASH_LENGTH = 10;

export interface ToolAddress {
  /** The name under which the agent knows the server. */
  server: string;
  tool: string;
}

export interface ToolNames {
  /** Throws for a tool that was not among those given. */
  toModel(address: ToolAddress): string;
  /** Null for a name that no tool has: models make names up. */
  fromModel(name: string): ToolAddress | null;
}

/**
 * The plain name wherever it fits, so that prompts can rely on it. A name that had to be changed or cut ends in a hash
 * that depends only on the tool: it stays the same whatever else is offered.
 */
export function createToolNames(addresses: readonly ToolAddress[]): ToolNames {
  const byName = new Map<string, ToolAddress>();
  const byAddress = new Map<string, string>();
  const plain = addresses.filter((address) => isAcceptable(plainName(address)));
  const changed = addresses.filter((address) => !isAcceptable(plainName(address)));
  for (const address of [...plain, ...changed]) {
    if (byAddress.has(keyOf(address))) continue;
    const name = pickName(address, byName);
    byName.set(name, { server: address.server, tool: address.tool });
    byAddress.set(keyOf(address), name);
  }
  return {
    toModel: (address) => {
      const name = byAddress.get(keyOf(address));
      if (name === undefined)
        throw new Error(`unreachable: ${address.server}.${address.tool} has no model-facing name`);
      return name;
    },
    fromModel: (name) => byName.get(name) ?? null,
  };
}

/** Two names can collide only when a server names a tool after the hash of another; then a longer hash is used. */
function pickName(address: ToolAddress, taken: ReadonlyMap<string, ToolAddress>): string {
  const plain = plainName(address);
  if (isAcceptable(plain) && !taken.has(plain)) return plain;
  const hash = createHash("sha256").update(keyOf(address)).digest("hex");
  for (let length = HASH_LENGTH; length <= 40; length += 2) {
    const name = `${plain.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, MODEL_NAME_LENGTH_MAX - length - 1)}_${hash.slice(0, length)}`;
    if (!taken.has(name)) return name;
  }
  throw new Error("unreachable: sixteen hashes of one tool are all taken");
}

function plainName({ server, tool }: ToolAddress): string {
  return `mcp__${modelFacingName(server)}__${tool}`;
}

function isAcceptable(name: string): boolean {
  return name.length <= MODEL_NAME_LENGTH_MAX && /^[A-Za-z0-9_-]+$/.test(name);
}

function keyOf({ server, tool }: ToolAddress): string {
  return `${server}\0${tool}`;
}
