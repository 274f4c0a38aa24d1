/** Reads a page in a thread of its own: a page made to take forever, or all memory, ends that thread and nothing else. */
import { createRequire } from "node:module";
import path from "node:path";
import { argv } from "node:process";
import { Worker } from "node:worker_threads";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { HTML_MEMORY_MB, HTML_TIME_MAX_MS } from "@/lib/tools/builtin/limits";

export interface Page {
  title: string;
  links: { url: string; text: string }[];
  markdown: string;
  /** True: the page has more elements or links than are read. */
  isCut: boolean;
}

interface Asked {
  html: string;
  /** Against which its links are resolved. */
  url: string;
  isMarkdown: boolean;
  signal: AbortSignal;
}

export async function readHtml({ signal, ...page }: Asked): Promise<Page> {
  const worker = new Worker(threadFile(), {
    workerData: page,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HTML_MEMORY_MB, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 },
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(HTML_TIME_MAX_MS)]);
  try {
    return await new Promise<Page>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread ended")));
      deadline.addEventListener("abort", () => reject(deadline.reason as Error), { once: true });
    });
  } catch {
    signal.throwIfAborted();
    return refuse('The page cannot be read within the limits of time and memory; ask for it with format "raw".');
  } finally {
    await worker.terminate();
  }
}

/** The program that was started lies in Kimitsu's own folder, so that its packages show where that is. */
function threadFile(): string {
  const found = createRequire(path.resolve(argv[1] ?? "")).resolve("htmlparser2");
  return path.join(found.slice(0, found.lastIndexOf(`${path.sep}node_modules${path.sep}`)), "scripts/read-html.mjs");
}
