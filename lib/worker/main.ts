/** `kimitsu worker`: a process that only advances runs. It ends when told to, or when whoever started it is gone. */
import { KimitsuError } from "@/lib/errors";
import { db } from "@/lib/store/client";
import { startWorker } from "@/lib/worker/start-worker";

try {
  const worker = await startWorker();
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    await worker.stop();
    await db().$disconnect();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "disconnect"]) process.on(signal, () => void end());
} catch (error) {
  if (!(error instanceof KimitsuError)) throw error;
  console.error(`kimitsu worker: ${error.message}`);
  process.exit(1);
}
