import type { Project } from "@/lib/config/project";
import { runtime } from "@/lib/runs/runtime";
import { KimitsuError } from "@/lib/errors";

/** The project as it is now; null in a process that could not open it, whose pages of rows still work. */
export function findCurrentProject(): Project | null {
  try {
    return runtime().projects.current().project;
  } catch (error) {
    if (error instanceof KimitsuError && error.code === "unavailable") return null;
    throw error;
  }
}
