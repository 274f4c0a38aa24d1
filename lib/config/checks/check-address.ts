import { report, type Draft } from "@/lib/config/draft";
import type { ValuePath } from "@/lib/config/problem";
import type { YamlSource } from "@/lib/config/yaml-source";

/**
 * An address that no request could be sent to, or that shows a password to everyone who reads the file. What a template
 * fills in is checked when it is requested.
 */
export function checkAddress(draft: Draft, source: YamlSource, at: ValuePath, address: string, instead: string): void {
  const fixed = address.split("{{", 1)[0] ?? "";
  if (fixed === "") return;
  if (!/^https?:\/\//i.test(fixed))
    return report(draft, source, at, "expected an address that begins with https:// or http://");
  if (/^https?:\/\/[^/?#]*@/i.test(fixed))
    report(draft, source, at, "the address holds a name or password, which is not sent", { hint: instead });
}
