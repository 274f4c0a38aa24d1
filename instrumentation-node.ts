import { env } from "@/lib/env";
import { db } from "@/lib/store/client";
import { startWorker } from "@/lib/worker/start-worker";

const kept = globalThis as typeof globalThis & { __kimitsuShutdown?: () => Promise<void> };

// The web process advances runs too, unless the deployment leaves that to others. Next may load this twice in development.
if (!kept.__kimitsuShutdown) {
  const worker = env.KIMITSU_WORKERS > 0 ? startWorker() : null;
  kept.__kimitsuShutdown = async () => {
    await worker?.stop();
    await db().$disconnect();
  };
}
