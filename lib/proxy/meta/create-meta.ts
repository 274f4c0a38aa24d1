/** Meta mode for one profile, over what it grants now. Cheap to make: what takes time is kept with the list. Pure. */
import { answerHelp } from "./help-topics";
import { loadItems } from "./load-items";
import type { Meta, MetaSource } from "./meta-source";
import { describeMetaTools } from "./meta-tools";
import { resolveExecute } from "./resolve-execute";
import { searchItems } from "./search-items";

export function createMeta(source: MetaSource): Meta {
  return {
    tools: describeMetaTools(source.servers),
    search: (args) => searchItems(source, args),
    load: (args) => loadItems(source, args),
    resolveExecute: (args) => resolveExecute(source, args),
    help: (args) => answerHelp(source, args),
  };
}
