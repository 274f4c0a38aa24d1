import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { ArrowLeft } from "lucide-react";
import { describeCost } from "@/components/runs/describe-figures";
import { Fact, Facts } from "@/components/runs/facts";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { RunTable } from "@/components/runs/run-table";
import { PipelineMap } from "@/components/workflows/pipeline-map";
import { type ServerParams, StepParams } from "@/components/workflows/step-params";
import { StartForm } from "@/components/workflows/start-form";
import { toParamFields } from "@/components/workflows/param-fields";
import { buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { listEffectiveParams } from "@/lib/config/effective-params";
import { findWorkflow } from "@/lib/config/list-definitions";
import type { Project, ProjectStep, ProjectWorkflow } from "@/lib/config/project";
import { can, requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { listHistory } from "@/lib/runs/queries/list-history";
import { listWorkflowStats, RUNS_LOOKED_AT, type WorkflowStats } from "@/lib/runs/queries/list-workflow-stats";
import { listWorkflowVersions } from "@/lib/projects/queries/list-workflow-versions";
import { startWorkflow } from "../actions";
import { findCurrentProject } from "../current-project";
import { describeSuccess } from "../describe-success";
import { Versions } from "./versions";

const RUNS_SHOWN = 10;
const REFRESH_MS = 5_000;

export async function generateMetadata({ params }: PageProps<"/workflows/[name]">): Promise<Metadata> {
  return { title: decodeURIComponent((await params).name) };
}

export default async function WorkflowPage({ params }: PageProps<"/workflows/[name]">) {
  const session = await requirePermission("runs:read");
  const name = decodeURIComponent((await params).name);
  const project = findCurrentProject();
  const workflow = project && findWorkflow(project, name);
  if (!workflow) notFound();
  const { db, now } = engineDeps();
  const clock = now();
  const [page, stats, versions] = await Promise.all([
    listHistory(db, { workflow: name, now: clock, limit: RUNS_SHOWN }),
    listWorkflowStats(db, [name]),
    listWorkflowVersions(db, name),
  ]);
  const isRoot = workflow.definition.visibility === "root";
  return (
    <>
      <header className="flex min-h-13 items-center gap-2.5 border-b border-line px-4 tablet:px-6">
        <Link
          href="/workflows"
          aria-label="Back to Workflows"
          className={buttonClass({ variant: "quiet", size: "icon" }, "-ml-2")}
        >
          <ArrowLeft aria-hidden />
        </Link>
        <h1 className="min-w-0 truncate text-lg font-semibold">{name}</h1>
        <span className="text-ink-3">{workflow.definition.version}</span>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] wide:grid-cols-[minmax(0,1fr)_400px]">
        <div className="min-w-0">
          <About workflow={workflow} stats={stats.get(name)} />
          <div className="border-y border-line bg-sunken/50">
            <PipelineMap label={`Steps of ${name}`} nodes={workflow.steps.map(toNode)} />
          </div>
          <Steps workflow={workflow} paramsOf={(step) => listStepParams(project, workflow, step)} />
        </div>
        <section
          aria-labelledby="start-title"
          className="grid content-start gap-4 px-4 py-5 max-wide:border-t max-wide:border-line tablet:px-6 wide:border-l wide:border-line"
        >
          <h2 id="start-title" className="font-semibold">
            Start a run
          </h2>
          {!isRoot ? (
            <p className="text-ink-2">Only other workflows can start this one; it takes part in theirs as a step.</p>
          ) : can(session, "runs:write") ? (
            <StartForm
              workflow={name}
              fields={toParamFields(workflow.definition.params?.schema)}
              action={startWorkflow}
            />
          ) : (
            <Notice tone="note" title="Operators start runs">
              <p>Your role can look at workflows and runs. An admin can give you another.</p>
            </Notice>
          )}
        </section>
      </div>
      {isRoot ? (
        <section aria-labelledby="runs-title" className="border-t border-line">
          <div className="flex items-baseline justify-between px-4 pt-5 pb-2 tablet:px-6">
            <h2 id="runs-title" className="font-semibold">
              Last runs
            </h2>
            <Link
              href={`/history?workflow=${encodeURIComponent(name)}`}
              className="text-sm text-accent underline underline-offset-3"
            >
              All in History
            </Link>
          </div>
          {page.items.length > 0 ? (
            <RunTable
              label={`Last runs of ${name}`}
              withWorkflow={false}
              runs={page.items.map((run) => ({ ...run, createdAt: run.createdAt.toISOString() }))}
              now={clock.toISOString()}
            />
          ) : (
            <p className="px-4 pb-6 text-ink-2 tablet:px-6">None yet.</p>
          )}
        </section>
      ) : null}
      {versions.length > 0 ? (
        <Versions name={name} versions={versions} currentHash={project?.hash} now={clock.toISOString()} />
      ) : null}
      <KeepFresh everyMs={REFRESH_MS} />
    </>
  );
}

function About({ workflow, stats }: { workflow: ProjectWorkflow; stats: WorkflowStats | undefined }) {
  const { definition, file, hash } = workflow;
  const success = describeSuccess(stats);
  return (
    <section aria-label="About" className="grid gap-4 px-4 py-5 tablet:px-6">
      {definition.description ? <p className="max-w-160 text-lg text-pretty">{definition.description}</p> : null}
      <Facts>
        <Fact name="File">
          <code>{file}</code>
        </Fact>
        <Fact name="Content">
          <code title={hash}>{hash.replace("sha256:", "").slice(0, 10)}</code>
        </Fact>
        {success ? <Fact name={`Complete, of the last ${RUNS_LOOKED_AT}`}>{success}</Fact> : null}
        {stats && stats.meanCostUsd !== null ? <Fact name="Mean cost">{describeCost(stats.meanCostUsd)}</Fact> : null}
        {definition.model_policy?.cost_budget_usd ? (
          <Fact name="Budget of a run">{describeCost(definition.model_policy.cost_budget_usd)}</Fact>
        ) : null}
        {definition.env.length > 0 ? (
          <Fact name="Needs">
            {definition.env.map((entry) => (
              <span key={entry.name} title={entry.description} className="mr-3">
                <code>{entry.name}</code>
                {entry.secret ? <span className="text-sm text-ink-3"> secret</span> : null}
              </span>
            ))}
          </Fact>
        ) : null}
      </Facts>
    </section>
  );
}

/** By server of the step's agent; those without params are left out. */
function listStepParams(project: Project | null, workflow: ProjectWorkflow, step: ProjectStep): ServerParams[] {
  const { agent } = step;
  if (!project || !agent) return [];
  return agent.servers
    .map((entry) => ({ server: entry.name, params: listEffectiveParams(project, agent, entry, { workflow, step }) }))
    .filter(({ params }) => params.length > 0);
}

function Steps({ workflow, paramsOf }: { workflow: ProjectWorkflow; paramsOf: (step: ProjectStep) => ServerParams[] }) {
  return (
    <ol aria-label="Steps" className="grid">
      {workflow.steps.map((step) => (
        <li
          key={step.id}
          className="grid gap-x-6 border-b border-line px-4 py-2.5 last:border-b-0 tablet:grid-cols-[180px_minmax(0,1fr)] tablet:px-6"
        >
          <span className="font-medium">{step.id}</span>
          <div className="text-ink-2">
            {step.agent ? (
              <>
                agent {step.agent.name}
                {step.agent.servers.length > 0 ? (
                  <span className="text-ink-3"> with {step.agent.servers.map(({ name }) => name).join(", ")}</span>
                ) : null}
              </>
            ) : step.workflow ? (
              <Link
                href={`/workflows/${step.workflow.name}`}
                className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                workflow {step.workflow.name}
              </Link>
            ) : (
              step.kind
            )}
            {"for_each" in step.definition && step.definition.for_each ? (
              <span className="text-ink-3"> · for each of {step.definition.for_each.from}</span>
            ) : null}
            {step.definition.condition ? (
              <p className="text-sm">
                only if <code className="wrap-anywhere">{step.definition.condition}</code>
              </p>
            ) : null}
            {step.definition.description ? <p className="text-sm">{step.definition.description}</p> : null}
            <StepParams servers={paramsOf(step)} />
          </div>
        </li>
      ))}
    </ol>
  );
}

function toNode({ id, kind, dependsOn, agent, workflow }: ProjectWorkflow["steps"][number]) {
  return {
    id,
    label: id,
    detail: agent ? `agent ${agent.name}` : workflow ? `workflow ${workflow.name}` : kind,
    dependsOn,
  };
}
