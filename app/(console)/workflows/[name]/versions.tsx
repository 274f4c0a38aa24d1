import Link from "next/link";
import { LinkWorking } from "@/components/shell/link-working";
import { CopyButton } from "@/components/ui/copy-button";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { VERSIONED_RUNS_MAX, type WorkflowVersion } from "@/lib/projects/queries/list-workflow-versions";
import { addressWith } from "../../search-params";

interface Props {
  name: string;
  versions: readonly WorkflowVersion[];
  /** Of the project as it is now. */
  currentHash: string | undefined;
  now: string;
}

/** Each run keeps the configuration that it began with: which those were, and when. */
export function Versions({ name, versions, currentHash, now }: Props) {
  const runs = versions.reduce((sum, version) => sum + version.runs, 0);
  return (
    <section aria-labelledby="versions-title" className="-mt-px border-t border-line">
      <div className="flex flex-wrap items-baseline gap-x-3 px-4 pt-5 pb-2 tablet:px-6">
        <h2 id="versions-title" className="font-semibold">
          Versions
        </h2>
        {runs === VERSIONED_RUNS_MAX ? (
          <span className="text-sm text-ink-3">of the last {VERSIONED_RUNS_MAX} runs</span>
        ) : null}
      </div>
      <Table
        label={`Versions of ${name}`}
        head={
          <>
            <Th>Version</Th>
            <Th>Configuration</Th>
            <Th className="max-tablet:hidden">First run</Th>
            <Th className="max-tablet:hidden">Last run</Th>
            <Th className="text-right">Runs</Th>
          </>
        }
      >
        {versions.map(({ version, configHash, runs: count, firstAt, lastAt }) => (
          <Row key={`${version} ${configHash}`}>
            <Td>{version || <span className="text-ink-3">none</span>}</Td>
            <Td>
              <span className="flex flex-wrap items-center gap-x-2">
                <code title={configHash}>{configHash.replace("sha256:", "").slice(0, 10)}</code>
                <CopyButton text={configHash} what="configuration hash" small />
                {configHash === currentHash ? <Tag>current</Tag> : null}
              </span>
            </Td>
            <Td className="text-ink-2 max-tablet:hidden">
              <RelativeTime at={firstAt.toISOString()} now={now} />
            </Td>
            <Td className="text-ink-2 max-tablet:hidden">
              <RelativeTime at={lastAt.toISOString()} now={now} />
            </Td>
            <Td className="text-right tabular-nums">
              <Link
                href={runsHref(name, firstAt, lastAt)}
                className="relative underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                {count}
                <span className="sr-only"> runs in History</span>
                <LinkWorking />
              </Link>
            </Td>
          </Row>
        ))}
      </Table>
    </section>
  );
}

/** History takes the end of a period as the moment after it. */
function runsHref(workflow: string, first: Date, last: Date): string {
  return addressWith("/history", {
    workflow,
    from: first.toISOString(),
    to: new Date(last.getTime() + 1).toISOString(),
  });
}
