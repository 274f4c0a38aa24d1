import Link from "next/link";
import { classNames } from "@/components/ui/class-names";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import { describeCost, describeDuration } from "./describe-figures";
import { describeRun, RUN_WORDS } from "./run-words";
import { StatusMark } from "./status-mark";
import { StepStrip } from "./step-strip";

export interface ListedRun {
  id: string;
  workflow: string;
  version: string;
  status: RunStatus;
  degraded: boolean;
  /** Calls that were rejected, or expired. */
  refused: { rejected: number; expired: number };
  startedBy: { kind: string; name: string; person: string | null };
  /** In one line, from facts: what it waits for, and what it was started with; empty when that was nothing. */
  about: string;
  steps: readonly { key: string; status: StepStatus }[];
  stepsTotal: number;
  waitedMs: number;
  workedMs: number;
  costUsd: number;
  error: string | null;
  createdAt: string;
  /** For a call of an MCP client. */
  client: ListedClient | null;
}

interface ListedClient {
  sessionId: string | null;
  /** As the client calls itself. */
  name: string;
  profile: string;
  tool: string;
  /** Set where one row stands for all calls of a session. */
  folded: {
    calls: number;
    isCapped: boolean;
    waiting: number;
    failed: number;
    workedMs: number;
    costUsd: number;
  } | null;
}

/** One row for each run; where columns are hidden, other lines say what they would. */
export function RunTable({
  runs,
  now,
  label,
  withWorkflow = true,
}: {
  runs: readonly ListedRun[];
  now: string;
  label: string;
  withWorkflow?: boolean;
}) {
  return (
    <Table isFixed label={label} head={<RunHeads withWorkflow={withWorkflow} />}>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} now={now} withWorkflow={withWorkflow} />
      ))}
    </Table>
  );
}

/**
 * What a run is about has all the room that is left; on very wide screens the others have more too, so that a row stays
 * readable as one.
 */
export function RunHeads({ withWorkflow = true }: { withWorkflow?: boolean }) {
  return (
    <>
      <Th className="tablet:w-46">Status</Th>
      <Th className="max-tablet:hidden">{withWorkflow ? "Workflow" : "About"}</Th>
      <Th className="wide:w-38 max-wide:hidden min-[1800px]:w-80">Started by</Th>
      <Th className="tablet:w-40 max-tablet:hidden min-[1800px]:w-72">Steps</Th>
      <Th className="text-right roomy:w-37 max-roomy:hidden min-[1800px]:w-48">Waited for approval</Th>
      <Th className="text-right roomy:w-24 max-roomy:hidden min-[1800px]:w-36">Worked</Th>
      <Th className="text-right wide:w-24 max-wide:hidden min-[1800px]:w-36">Cost</Th>
      <Th className="w-28 text-right min-[1800px]:w-36">Started</Th>
    </>
  );
}

interface RowProps {
  run: ListedRun;
  now: string;
  withWorkflow?: boolean;
  /** The address of a list with folded rows, to which the session of one is added. */
  listHref?: string;
  /** Its place in a table of which only a part is in the page. */
  rowIndex?: number;
}

export function RunRow({ run, now, withWorkflow = true, listHref, rowIndex }: RowProps) {
  const many = manyOf(run);
  const { word, mark } = many && many.waiting > 0 ? describeWaiting(many.waiting) : describeRun(run);
  const starter = run.startedBy.person ?? run.startedBy.name;
  return (
    <Row aria-rowindex={rowIndex} className="relative hover:bg-sunken/60 has-[a:focus-visible]:bg-sunken/60">
      <Td className="max-tablet:w-full">
        {/* The link covers the row, so that the whole row can be pressed and there is one stop for the keyboard. */}
        <Link
          href={many ? withSession(listHref ?? "/history", run) : `/history/${run.id}`}
          data-run={run.id}
          prefetch={false}
          title={aboutOf(run)}
          className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <StatusMark mark={mark} word={word} />
          <span className="sr-only">
            , {nameOf(run)}, {many ? `${describeMany(many)} of session ${run.client?.sessionId}, the newest in` : "run"}{" "}
            {run.id}
          </span>
        </Link>
        <div className="mt-0.5 grid gap-1 pl-4.5 text-sm text-ink-2 tablet:hidden">
          <span className="truncate">
            {withWorkflow ? `${nameOf(run)} · ` : ""}
            {starter} · {describeCost(many?.costUsd ?? run.costUsd)}
          </span>
          <span className="truncate text-ink-3">{aboutOf(run)}</span>
          <Progress run={run} />
        </div>
      </Td>
      <Td className="max-tablet:hidden">
        {withWorkflow ? (
          <span className="block truncate">
            <span className="font-medium">{nameOf(run)}</span>{" "}
            <span className="text-sm text-ink-3">{run.client ? `MCP client, ${run.client.profile}` : run.version}</span>
            <span className="text-sm text-ink-2 wide:hidden"> · {starter}</span>
          </span>
        ) : null}
        <span className={classNames("block truncate", withWorkflow ? "text-sm text-ink-2" : undefined)}>
          {run.client?.tool ? <code className="mr-2 text-ink">{run.client.tool}</code> : null}
          {aboutOf(run)}
        </span>
        {withWorkflow ? null : <span className="block truncate text-sm text-ink-2 wide:hidden">{starter}</span>}
      </Td>
      <Td className="truncate max-wide:hidden">
        {starter}
        {run.startedBy.kind === "user" ? null : (
          <span className="text-sm text-ink-3">
            {" "}
            {run.startedBy.person === null ? run.startedBy.kind : `by ${run.startedBy.kind} ${run.startedBy.name}`}
          </span>
        )}
      </Td>
      <Td className="max-tablet:hidden">
        <Progress run={run} />
      </Td>
      <Td className="text-right tabular-nums max-roomy:hidden">
        {run.waitedMs > 0 && !many ? describeDuration(run.waitedMs) : <None />}
      </Td>
      <Td className="text-right text-ink-2 tabular-nums max-roomy:hidden">
        {run.workedMs > 0 ? describeDuration(many?.workedMs ?? run.workedMs) : <None />}
      </Td>
      <Td className="text-right text-ink-2 tabular-nums max-wide:hidden">
        {describeCost(many?.costUsd ?? run.costUsd)}
      </Td>
      <Td className="text-right text-sm text-ink-2">
        <RelativeTime at={run.createdAt} now={now} />
      </Td>
    </Row>
  );
}

const describeWaiting = (count: number) => ({ ...RUN_WORDS.pending_approval, word: `${count} waiting` });

/** What a folded row stands for; null for a row that is one run. */
function manyOf({ client }: ListedRun): NonNullable<ListedClient["folded"]> | null {
  return client?.folded && client.folded.calls > 1 ? client.folded : null;
}

const nameOf = ({ client, workflow }: ListedRun): string => client?.name ?? workflow;

const describeMany = ({ calls, isCapped }: { calls: number; isCapped: boolean }): string =>
  `${calls}${isCapped ? " or more" : ""} calls`;

function withSession(listHref: string, { client }: ListedRun): string {
  return `${listHref}${listHref.includes("?") ? "&" : "?"}session=${client?.sessionId ?? ""}`;
}

/** The steps of a run; of a session how many calls it made, and how they went. */
function Progress({ run }: { run: ListedRun }) {
  const many = manyOf(run);
  if (!many)
    return (
      <span className="flex items-center gap-2 overflow-hidden whitespace-nowrap">
        <StepStrip steps={run.steps} total={run.stepsTotal} />
        <Refused refused={run.refused} />
      </span>
    );
  return (
    <span className="block truncate text-sm text-ink-2">
      <span className="font-medium text-ink">{describeMany(many)}</span>
      {many.failed > 0 ? `, ${many.failed} failed` : ""}
    </span>
  );
}

/**
 * Rows of a long list have one height, so that each has this line; a run that was started with nothing shows its id.
 */
const aboutOf = ({ about, id }: ListedRun): string => about || `started with nothing, …${id.slice(-8)}`;

function Refused({ refused: { rejected, expired } }: Pick<ListedRun, "refused">) {
  const words = [rejected > 0 ? `${rejected} rejected` : "", expired > 0 ? `${expired} expired` : ""].filter(
    (word) => word !== "",
  );
  return words.length === 0 ? null : <span className="truncate text-sm text-ink-2">{words.join(", ")}</span>;
}

function None() {
  return (
    <span className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">none</span>
    </span>
  );
}
