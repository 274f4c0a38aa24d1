/**
 * The names under which clients know the tools of a profile: within what every client accepts, and never two tools under
 * one name. Pure.
 */
import { createHash } from "node:crypto";
import { modelFacingName } from "@/lib/config/builtin-servers";

/** VS Code and OpenAI take 64 characters of this alphabet. */
const NAME_LENGTH_MAX = 64;
const HASH_LENGTH = 10;

/** Tools of Kimitsu's own, which no server can take the place of. */
export const OWN_TOOLS = {
  getResult: "kimitsu_get_result",
  cancel: "kimitsu_cancel",
  loadToolset: "load_toolset",
} as const;

export interface ExportAddress {
  /** The name that the profile has for the server. */
  server: string;
  tool: string;
}

/**
 * Names in the order of the addresses. A name that two tools would share goes to neither: both get a name with a hash
 * that depends on the tool alone, so that no server can take over a name by listing a tool.
 */
export function exportNames(addresses: readonly ExportAddress[], prefix: "always" | "never"): string[] {
  const plain = addresses.map((address) => plainName(address, prefix));
  const count = new Map<string, number>();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  const isFree = (name: string) => isAcceptable(name) && count.get(name) === 1 && !isOwn(name);
  const taken = new Set(plain.filter(isFree));
  return addresses.map((address, place) => {
    const name = plain[place]!;
    if (isFree(name)) return name;
    const hashed = hashedName(address, taken);
    taken.add(hashed);
    return hashed;
  });
}

function hashedName(address: ExportAddress, taken: ReadonlySet<string>): string {
  const hash = createHash("sha256").update(`${address.server}\0${address.tool}`).digest("hex");
  const stem = plainName(address, "always").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  for (let length = HASH_LENGTH; length <= 40; length += 2) {
    const name = `${stem.slice(0, NAME_LENGTH_MAX - length - 1)}_${hash.slice(0, length)}`;
    if (!taken.has(name)) return name;
  }
  throw new Error("unreachable: sixteen hashes of one tool are all taken");
}

const plainName = ({ server, tool }: ExportAddress, prefix: "always" | "never"): string =>
  prefix === "never" ? tool : `${modelFacingName(server)}__${tool}`;

const isAcceptable = (name: string): boolean => name.length <= NAME_LENGTH_MAX && /^[A-Za-z0-9_-]+$/.test(name);

const isOwn = (name: string): boolean => name.startsWith("kimitsu_") || name === OWN_TOOLS.loadToolset;
