/** A tool server and a receiver of webhooks in one: returns the answer that the test has set, and counts requests. */
import type { IncomingMessage } from "node:http";
import { behave, HARMLESS_TOOL, startHostileServer } from "@/lib/testing/hostile-servers/hostile-server";
import type { Asked, WireAnswer } from "./wire-answers";

export interface AnsweringServer {
  readonly origin: string;
  /** What is sent from now on; the count restarts. */
  set(way: (asked: Asked) => void, resume?: WireAnswer["resume"]): void;
  /** How often the call or the webhook has arrived since. */
  readonly arrived: number;
  close(): Promise<void>;
}

const TOTAL = { type: "object", required: ["total"], properties: { total: { type: "number" } } };
const PROMISING_TOOL = { ...HARMLESS_TOOL, name: "promise", outputSchema: TOTAL };
const READING_TOOL = { ...HARMLESS_TOOL, name: "look", annotations: { readOnlyHint: true } };
const REPEATABLE_TOOL = { ...HARMLESS_TOOL, name: "put", annotations: { readOnlyHint: false, idempotentHint: true } };

export async function startAnsweringServer(): Promise<AnsweringServer> {
  let way: (asked: Asked) => void = ({ response }) => void response.writeHead(500).end();
  let resume: WireAnswer["resume"];
  let arrived = 0;
  let lastId: Asked["id"];
  const isHook = ({ url }: IncomingMessage) => url?.startsWith("/hook") === true;
  const server = await startHostileServer({
    "tools/list": ({ reply }) => reply({ tools: [HARMLESS_TOOL, PROMISING_TOOL, READING_TOOL, REPEATABLE_TOOL] }),
    "tools/call": ({ response, message }) => {
      arrived += 1;
      lastId = message.id;
      way({ response, id: message.id });
    },
    // A webhook's body is not a message of the protocol.
    response: ({ request, response }) => {
      if (!isHook(request)) return void response.writeHead(202).end();
      arrived += 1;
      way({ response });
    },
    GET: (exchange) => {
      const { request, response } = exchange;
      if (isHook(request)) {
        arrived += 1;
        return way({ response });
      }
      if (request.headers["last-event-id"] === undefined || !resume) return behave(exchange);
      resume({ response, id: lastId });
    },
  });
  return {
    origin: server.origin,
    get arrived() {
      return arrived;
    },
    set: (next, nextResume) => {
      way = next;
      resume = nextResume;
      arrived = 0;
    },
    close: server.close,
  };
}
