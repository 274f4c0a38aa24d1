/**
 * Whether a tool is still the one that an engineer has seen. Decides nothing itself: the policy does, based on this
 * state.
 */
import type { PinState } from "@/lib/policy/policy-input";
import { pinOf, type ToolDefinition, type ToolPin } from "./tool-fingerprint";

/** The pins of one server, by tool name: from the lock file, or as remembered when the server was first seen. */
export type PinBook = Readonly<Record<string, ToolPin>>;

/**
 * `lock` is null when the project has no lock file, and empty when it has one that does not name the server. `firstUse`
 * is null when the server was never seen; it is used only without a lock file.
 */
export function judgePin(definition: ToolDefinition, lock: PinBook | null, firstUse: PinBook | null): PinState {
  if (lock !== null) return compare(definition, lock, "pinned");
  return firstUse === null ? "trusted_first_use" : compare(definition, firstUse, "trusted_first_use");
}

/** The same for a tool of which only the fingerprint is known: whether `judgePin` would find it trusted. */
export function isAsTrusted(
  { tool, fingerprint }: { tool: string; fingerprint: string },
  lock: PinBook | null,
  firstUse: PinBook | null,
): boolean {
  const book = lock ?? firstUse;
  return book === null || (Object.hasOwn(book, tool) && book[tool]?.fingerprint === fingerprint);
}

function compare(definition: ToolDefinition, book: PinBook, whenSame: "pinned" | "trusted_first_use"): PinState {
  const current = pinOf(definition);
  // Tools may be called `constructor`, a property that every object inherits.
  const known = Object.hasOwn(book, definition.name) ? book[definition.name] : undefined;
  if (known) return known.fingerprint === current.fingerprint ? whenSame : "changed";
  return Object.values(book).some((pin) => pin.shape === current.shape) ? "renamed" : "new";
}
