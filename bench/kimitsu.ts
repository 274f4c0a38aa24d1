/** Runs Kimitsu as a subject: BENCH_DRIVER is `hand` or `worker`. */
import { processVariables } from "@/lib/env";
import { openByHand, openWithWorker } from "./kimitsu-subjects";
import { runSubject } from "./subject.mjs";

const { DATABASE_URL: url = "", BENCH_TASK: task = "{}", BENCH_DRIVER: driver } = processVariables();
await runSubject(driver === "worker" ? openWithWorker : openByHand, { url, task: JSON.parse(task) });
