import "server-only";
import { notFound } from "next/navigation";
import { cache } from "react";
import type { Project } from "@/lib/config/project";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { refusalToAccept } from "@/lib/runs/review-step";
import { createFingerprint, runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";
import { isId } from "@/lib/ids";
import { findRunPage, type RunPage } from "@/lib/runs/queries/get-run-page";
import { listRunSpans, type RunSpan } from "@/lib/runs/queries/list-run-spans";

/** The head of a run, read once for the frame and the page in it. */
export const loadRun = cache(async (runId: string) => {
  const session = await requirePermission("runs:read");
  const { db, now } = engineDeps();
  const clock = now();
  const run = isId("run", runId) ? await findRunPage(db, runId, clock) : null;
  return run ? { run, session, clock } : notFound();
});

/** The project version of the run; null when it can no longer be read, and the page then omits what depends on it. */
export const findProjectOf = cache(async (configHash: string): Promise<Project | null> => {
  try {
    return (await runtime().projects.get(configHash)).project;
  } catch (error) {
    if (error instanceof KimitsuError) return null;
    throw error;
  }
});

/** Why this person cannot accept the answer that waits; null when they can, and when only an attempt would show it. */
export async function findRefusalToAccept(run: RunPage, userId: string): Promise<string | null> {
  if (!run.review) return null;
  try {
    return await refusalToAccept(runtime(), { runId: run.id, stepId: run.review.stepId, userId });
  } catch (error) {
    if (error instanceof KimitsuError) return null;
    throw error;
  }
}

/** Key for the fingerprints of hidden values; it needs no project, as these pages need none. */
export const fingerprintHere = cache(createFingerprint);

/** At most this many spans of each kind are drawn; zoomed in, there are as many again. */
const SPANS_DRAWN = 120;
const SPANS_OF_A_LANE_MIN = 8;

/** Where the time went between two moments. */
export function loadSpans(run: RunPage, { from, to }: { from: Date; to: Date }): Promise<RunSpan[]> {
  const max = Math.max(SPANS_OF_A_LANE_MIN, Math.floor(SPANS_DRAWN / Math.max(1, run.steps.length)));
  return listRunSpans(engineDeps().db, run.id, { from, to, max });
}
