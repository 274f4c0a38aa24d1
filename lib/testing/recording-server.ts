/**
 * A real MCP server that records everything that reaches it and misbehaves on command. Tests use it to learn whether a
 * call arrived, how often, and with what. Runs in the test's process or, to outlive others, in its own.
 */
import { startChildProgram } from "./child-program";
import { RecordingControl } from "./recording/control";
import { RecordingHttp, type RecordingServerOptions } from "./recording/http-side";

export interface RecordingServer extends RecordingControl {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function startRecordingServer(options: RecordingServerOptions = {}): Promise<RecordingServer> {
  const http = new RecordingHttp(options);
  const port = await http.listen();
  return Object.assign(new RecordingControl(`http://127.0.0.1:${port}`), {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    close: () => http.close(),
  });
}

export interface RecordingProcess extends RecordingServer {
  readonly pid: number;
  /** SIGKILL: the server dies in the middle of its work. */
  kill(): Promise<void>;
}

/** The same server as a process of its own, with exactly this environment. It ends with the process that started it. */
export async function startRecordingProcess(
  options: RecordingServerOptions & { env?: Record<string, string> } = {},
): Promise<RecordingProcess> {
  const { env = {}, ...rest } = options;
  const child = await startChildProgram("lib/testing/recording/main.ts", { args: [JSON.stringify(rest)], env });
  const { listening: port } = JSON.parse(await child.nextLine()) as { listening: number };
  return Object.assign(new RecordingControl(`http://127.0.0.1:${port}`), {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    pid: child.pid,
    close: () => child.stop(),
    kill: () => child.stop("SIGKILL"),
  });
}
