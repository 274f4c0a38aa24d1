/** The HTTP side of the recording server: every request is recorded first, then refused, cut off or answered. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { HttpRefusal, listenOnLoopback, readJsonBody, sendRpcError } from "@/lib/demo/http";
import { answerControl } from "./control";
import { flattenHeaders, listMessages, type SeenMessage } from "./messages";
import { createProtocolSide, type ProtocolSide, sessionOf, type TransportKind } from "./protocol";
import { type Ailment, RecordingState } from "./state";
import type { Breakage } from "./tools";

export interface RecordingServerOptions {
  /** Port, for a server that restarts on the same one; a free one when absent. */
  port?: number;
  name?: string;
  transport?: TransportKind;
  /** JSON lines are appended to this file. */
  file?: string;
  /** Added to the standard tools; see tools.ts for those. */
  tools?: Tool[];
  /** How many tools one page of the list has; all when absent. */
  pageSize?: number;
  /** Requests without this header are recorded and answered 401. */
  requireHeader?: { name: string; value: string };
}

const BODY_BYTES_MAX = 16 * 1024 * 1024;

export class RecordingHttp {
  readonly #state: RecordingState;
  readonly #protocol: ProtocolSide;
  // Kept open for longer than any test: a client that is slow because of the machine must not find its idle connection
  // closed.
  readonly #http = createServer({ keepAliveTimeout: 60 * 60_000 }, (request, response) => {
    this.#answer(request, response).catch((error: unknown) => {
      sendRpcError(
        response,
        error instanceof HttpRefusal ? error.status : 500,
        error instanceof Error ? error.message : String(error),
      );
    });
  });

  constructor(private readonly options: RecordingServerOptions) {
    const { name = "recording", transport = "http", pageSize } = options;
    this.#state = new RecordingState(options);
    this.#protocol = createProtocolSide(this.#state, { name, transport, pageSize });
  }

  listen(): Promise<number> {
    return listenOnLoopback(this.#http, this.options.port ?? 0);
  }

  async close(): Promise<void> {
    this.#state.releaseAll();
    await this.#protocol.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
    this.#state.recorder.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/control")
      return answerControl(this.#state, () => this.#protocol.announceListChange(), request, response);
    const body = request.method === "POST" ? await readJsonBody(request, BODY_BYTES_MAX) : undefined;
    const messages = listMessages(request.method ?? "", body);
    const ailment = this.#findAilment(messages);
    const refusal = ailment ? null : this.#findRefusal(request, pathname);
    const broken = this.#findBreakage(messages);
    const isStopped =
      ailment !== null || refusal !== null || broken?.breakage === "drop-before" || broken?.breakage === "http-500";
    this.#record(request, messages, !isStopped);
    if (ailment) return this.#showAilment(ailment, request, response);
    if (refusal) throw refusal;
    if (!broken) return this.#protocol.handle(request, response, body);
    await this.#state.passGate(broken.tool);
    if (broken.breakage === "http-500") return sendRpcError(response, 500, "The tool breaks on purpose.");
    this.#protocol.drop(request);
  }

  #findAilment(messages: SeenMessage[]): Ailment | null {
    const { ailment } = this.#state;
    if (!ailment?.methods) return ailment;
    return messages.some(({ method }) => ailment.methods!.includes(method)) ? ailment : null;
  }

  #findRefusal(request: IncomingMessage, pathname: string): HttpRefusal | null {
    if (pathname !== "/mcp") return new HttpRefusal(404, `There is nothing at ${pathname}.`);
    const { requireHeader } = this.options;
    if (!requireHeader || request.headers[requireHeader.name.toLowerCase()] === requireHeader.value) return null;
    return new HttpRefusal(401, `The header ${requireHeader.name} is missing or wrong.`);
  }

  #findBreakage(messages: SeenMessage[]): { tool: string; breakage: Breakage } | null {
    for (const { tool } of messages) {
      const breakage = tool === null ? undefined : this.#state.findTool(tool)?.breakage;
      if (tool !== null && breakage) return { tool, breakage };
    }
    return null;
  }

  #record(request: IncomingMessage, messages: SeenMessage[], performed: boolean): void {
    const headers = flattenHeaders(request.headers);
    for (const message of messages)
      this.#state.recorder.add({ ...message, headers, session: sessionOf(request), performed });
  }

  #showAilment({ illness }: Ailment, request: IncomingMessage, response: ServerResponse): void {
    if (illness.kind === "hang-up") return this.#protocol.drop(request);
    // 307 keeps method and body, so a client that follows carelessly sends everything to the other place.
    if (illness.kind === "redirect") return void response.writeHead(307, { location: illness.to }).end();
    if (illness.retryAfterS !== undefined) response.setHeader("retry-after", String(illness.retryAfterS));
    sendRpcError(response, illness.status, "The server is ill on purpose.");
  }
}
