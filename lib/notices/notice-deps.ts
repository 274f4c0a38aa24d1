import type { Runtime } from "@/lib/runs/runtime";
import { env } from "@/lib/env";

/** What sending notices needs from outside. */
export interface NoticeDeps extends Pick<Runtime, "db" | "now" | "projects" | "fetch" | "processEnv"> {
  /** Of the console, for links. */
  origin: string;
  mail: { url: string | undefined; from: string };
}

export function toNoticeDeps({ db, now, projects, fetch, processEnv }: Runtime): NoticeDeps {
  return {
    db,
    now,
    projects,
    fetch,
    processEnv,
    origin: env.AUTH_URL ? new URL(env.AUTH_URL).origin : `http://${env.HOST}:${env.PORT}`,
    mail: { url: env.KIMITSU_SMTP_URL, from: env.KIMITSU_MAIL_FROM },
  };
}
