/**
 * The demo shop as a process of its own. It represents somebody else's tool server, so it shares no configuration with
 * the product and reads its own three variables.
 */
import { z } from "zod";
import { startShopServer } from "./shop-server";
import { openShopStore } from "./shop-store";

const variables = z.object({
  KIMITSU_DEMO_PORT: z.coerce.number().int().min(0).max(65_535).default(4100),
  KIMITSU_DEMO_KEY: z.string().min(1).default("demo-shop-key"),
  KIMITSU_DEMO_STATE: z.string().min(1).optional(),
});

async function main(): Promise<void> {
  const env = variables.parse(process.env);
  const server = await startShopServer({
    port: env.KIMITSU_DEMO_PORT,
    apiKey: env.KIMITSU_DEMO_KEY,
    store: openShopStore(env.KIMITSU_DEMO_STATE),
  });
  const stop = () => void server.close().then(() => process.exit(0));
  // The channel closes when the process that started this one is gone, even by SIGKILL; nothing else would end the
  // shop.
  process.once("disconnect", stop).once("SIGTERM", stop).once("SIGINT", stop);
  process.stdout.write(`${JSON.stringify({ listening: server.port })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`The demo shop cannot start: ${describe(error)}\n`);
  process.exit(1);
});

function describe(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    return "its port is in use; set KIMITSU_DEMO_PORT to a free one.";
  return error instanceof Error ? error.message : String(error);
}
