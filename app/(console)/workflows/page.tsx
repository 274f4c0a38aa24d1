import type { Metadata } from "next";
import Link from "next/link";
import { describeCost } from "@/components/runs/describe-figures";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { LastRuns } from "@/components/workflows/last-runs";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { listWorkflows } from "@/lib/config/list-definitions";
import type { ProjectWorkflow } from "@/lib/config/project";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { listWorkflowStats, type WorkflowStats } from "@/lib/runs/queries/list-workflow-stats";
import { findCurrentProject } from "./current-project";
import { describeSuccess } from "./describe-success";

export const metadata: Metadata = { title: "Workflows" };

const REFRESH_MS = 10_000;

export default async function WorkflowsPage() {
  await requirePermission("runs:read");
  const project = findCurrentProject();
  const workflows = project ? listWorkflows(project) : [];
  const { db, now } = engineDeps();
  const stats = await listWorkflowStats(
    db,
    workflows.map(({ name }) => name),
  );
  const shown = workflows.toSorted(
    (one, other) => Number(isSub(one)) - Number(isSub(other)) || one.name.localeCompare(other.name),
  );
  return (
    <>
      <PageBar title="Workflows" count={workflows.length} />
      {shown.length === 0 ? (
        <NoWorkflows />
      ) : (
        <Table
          label="Workflows"
          head={
            <>
              <Th>Workflow</Th>
              <Th className="max-tablet:hidden">Last runs</Th>
              <Th className="max-tablet:hidden">Success</Th>
              <Th className="text-right max-wide:hidden">Mean cost</Th>
              <Th className="text-right">Last start</Th>
            </>
          }
        >
          {shown.map((workflow) => (
            <WorkflowRow
              key={workflow.name}
              workflow={workflow}
              stats={stats.get(workflow.name)}
              now={now().toISOString()}
            />
          ))}
        </Table>
      )}
      <KeepFresh everyMs={REFRESH_MS} />
    </>
  );
}

const isSub = ({ definition }: ProjectWorkflow): boolean => definition.visibility !== "root";

function WorkflowRow({
  workflow,
  stats,
  now,
}: {
  workflow: ProjectWorkflow;
  stats: WorkflowStats | undefined;
  now: string;
}) {
  const { name, definition } = workflow;
  return (
    <Row className="hover:bg-sunken/60">
      <Td className="w-full tablet:w-auto">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <Link
            href={`/workflows/${name}`}
            className="font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink"
          >
            {name}
          </Link>
          <span className="text-sm text-ink-3">{definition.version}</span>
          {isSub(workflow) ? <Tag>part of others</Tag> : null}
        </div>
        <p className="max-w-140 text-sm text-ink-2 text-pretty">{definition.description}</p>
        <div className="tablet:hidden">
          {stats && !isSub(workflow) ? (
            <LastRuns runs={stats.lastRuns.slice(0, 10)} label={`Last runs of ${name}`} />
          ) : null}
        </div>
      </Td>
      <Td className="max-tablet:hidden">
        {stats && !isSub(workflow) ? <LastRuns runs={stats.lastRuns} label={`Last runs of ${name}`} /> : null}
      </Td>
      <Td className="whitespace-nowrap tabular-nums max-tablet:hidden">
        {isSub(workflow) ? null : describeSuccess(stats)}
      </Td>
      <Td className="text-right text-ink-2 tabular-nums max-wide:hidden">
        {stats?.meanCostUsd === null || stats === undefined ? null : describeCost(stats.meanCostUsd)}
      </Td>
      <Td className="text-right text-sm text-ink-2">
        {stats?.lastStartedAt ? (
          <RelativeTime at={stats.lastStartedAt.toISOString()} now={now} />
        ) : isSub(workflow) ? null : (
          "never"
        )}
      </Td>
    </Row>
  );
}

function NoWorkflows() {
  return (
    <EmptyState
      title="Workflows live in the repository"
      next={<Command says="After a change, see whether everything fits together:" text="npx kimitsu validate" />}
    >
      <p>
        Each <code>workflows/*.workflow.yaml</code> of the project folder is one workflow. They are edited there,
        reviewed like code, and take effect with the next start.
      </p>
    </EmptyState>
  );
}
