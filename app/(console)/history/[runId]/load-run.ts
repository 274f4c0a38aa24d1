import "server-only";
import { notFound } from "next/navigation";
import { cache } from "react";
import type { Project } from "@/lib/config/project";
import { requirePermission } from "@/lib/auth/session";
import { engineDeps } from "@/lib/engine/deps";
import { runtime } from "@/lib/engine/runtime";
import { KimitsuError } from "@/lib/errors";
import { isId } from "@/lib/ids";
import { findRunPage } from "@/lib/store/queries/get-run-page";

/** The head of a run, read once for the frame and the page in it. */
export const loadRun = cache(async (runId: string) => {
  const session = await requirePermission("runs:read");
  const { db, now } = engineDeps();
  const clock = now();
  const run = isId("run", runId) ? await findRunPage(db, runId, clock) : null;
  return run ? { run, session, clock } : notFound();
});

/** The project as the run knows it; null when it can no longer be read, and the page then goes without what only it could tell. */
export const findProjectOf = cache(async (configHash: string): Promise<Project | null> => {
  try {
    return (await runtime().projects.get(configHash)).project;
  } catch (error) {
    if (error instanceof KimitsuError) return null;
    throw error;
  }
});
