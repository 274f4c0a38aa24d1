import { report, type Draft } from "@/lib/config/draft";
import type { ValuePath } from "@/lib/config/problem";
import type { YamlSource } from "@/lib/config/yaml-source";

interface Named {
  name: string;
  source: YamlSource;
  at: ValuePath;
}

/** Two things of one name would make every reference to it, and every line of the audit trail, ambiguous. */
export function checkUnique(draft: Draft, what: string, entries: readonly Named[]): void {
  const first = new Map<string, Named>();
  for (const entry of entries) {
    const earlier = first.get(entry.name);
    if (earlier === undefined) {
      first.set(entry.name, entry);
      continue;
    }
    const { line } = earlier.source.locate(earlier.at);
    const where = earlier.source.file === entry.source.file ? `on line ${line}` : `in ${earlier.source.file}:${line}`;
    report(draft, entry.source, entry.at, `the name ${JSON.stringify(entry.name)} is taken by another ${what}`, {
      hint: `the other one is ${where}; choose a different name`,
    });
  }
}
