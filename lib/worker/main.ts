/** `kimitsu worker`: a process that only advances runs. It ends when told to, or when whoever started it is gone. */
import { db } from "@/lib/store/client";
import { startWorker } from "@/lib/worker/start-worker";

const worker = startWorker();
let ending = false;

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await worker.stop();
  await db().$disconnect();
  process.exit(0);
}

process.on("SIGINT", () => void end());
process.on("SIGTERM", () => void end());
process.on("disconnect", () => void end());
