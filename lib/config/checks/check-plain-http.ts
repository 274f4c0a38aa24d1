import { refusePlainHttp, toAllowedHosts } from "@/lib/config/allowed-hosts";
import { report, type Draft } from "@/lib/config/draft";
import type { ValuePath } from "@/lib/config/problem";
import type { YamlSource } from "@/lib/config/yaml-source";

/** For an address to which a secret is sent. One with a variable in it is checked when it is requested. */
export function checkPlainHttp(draft: Draft, source: YamlSource, at: ValuePath, address: string): void {
  const url = URL.parse(address);
  if (url === null || draft.deployment.allowHosts === undefined) return;
  const reason = refusePlainHttp(url, toAllowedHosts(draft.deployment.allowHosts));
  if (reason !== null)
    report(draft, source, at, reason, {
      hint: `use https://, or add ${url.host} to KIMITSU_ALLOW_HOSTS where Kimitsu runs if the way there is your own`,
    });
}
