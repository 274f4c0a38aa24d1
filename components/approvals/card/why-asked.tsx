import Link from "next/link";
import { Notice } from "@/components/ui/notice";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { ShownText } from "./shown-text";

const LAYERS: Record<string, string> = {
  allowlist: "Allowlist",
  bypass: "Bypass mode",
  budget: "Budget",
  plan: "Plan mode",
  deny: "Denied names",
  require_approval: "Requires approval",
  allow: "Allowed names",
  rules: "Rules",
  danger: "Danger",
  strict: "Strict mode",
  tool_list: "Tool list",
  pin: "Pinned definition",
  toolset: "Toolset",
  internal: "Kimitsu",
};

/** Why a person is asked, with the place in the YAML; behind a fold, every layer that the call passed. */
export function WhyAsked({ card }: { card: ApprovalCard }) {
  const asking = card.why.filter((entry) => entry.outcome === "ask");
  const others = card.why.filter((entry) => entry.outcome !== "ask");
  return (
    <section aria-labelledby="why-asked" className="grid gap-2 rounded-lg border border-line px-3.5 py-3">
      <h3 id="why-asked" className="text-sm font-medium text-ink-2">
        Asked because
      </h3>
      {card.ruleReason && !asking.some((entry) => entry.reason.includes(card.ruleReason ?? "")) ? (
        <p className="font-medium wrap-anywhere">{card.ruleReason}</p>
      ) : null}
      <ul className="grid gap-1.5">
        {asking.map((entry) => (
          <li key={`${entry.layer} ${entry.reason}`} className="flex flex-wrap justify-between gap-x-4">
            <span className="min-w-0 wrap-anywhere">
              <ShownText text={entry.reason} />
            </span>
            {entry.source ? <code className="text-ink-2 wrap-anywhere">{entry.source}</code> : null}
          </li>
        ))}
      </ul>
      {others.length > 0 ? (
        <details className="text-sm text-ink-2">
          <summary className="w-fit underline decoration-line-strong underline-offset-3 hover:decoration-ink">
            All {card.why.length} layers that judged it
          </summary>
          <ol className="mt-2 grid gap-1">
            {card.why.map((entry, index) => (
              // eslint-disable-next-line react/no-array-index-key -- the same layer of several agents differs in its place alone
              <li
                key={index}
                className="grid grid-cols-[9.5rem_3rem_minmax(0,1fr)] gap-2 max-tablet:grid-cols-1 max-tablet:gap-0"
              >
                <span>{LAYERS[entry.layer] ?? entry.layer}</span>
                <span className="text-ink">{entry.outcome}</span>
                <span className="wrap-anywhere">
                  <ShownText text={entry.reason} /> {entry.source ? <code>{entry.source}</code> : null}
                </span>
              </li>
            ))}
          </ol>
        </details>
      ) : null}
    </section>
  );
}

/** A tool whose definition changed since it was trusted is more than one reason among others. */
export function DefinitionNote({ card: { server, tool, why } }: { card: ApprovalCard }) {
  const pin = why.find((entry) => entry.layer === "pin" && entry.outcome === "ask");
  if (!pin) return null;
  return (
    <Notice tone="careful" title="This tool is not as it was trusted">
      <p className="wrap-anywhere first-letter:uppercase">
        <ShownText text={pin.reason} />.
      </p>
      <p>
        <Link
          href={`/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`}
          className="underline underline-offset-3"
        >
          See what differs
        </Link>
      </p>
    </Notice>
  );
}
