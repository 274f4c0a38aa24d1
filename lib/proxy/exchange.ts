/**
 * One HTTP request of a client while it is answered: whether its client is still there, whether it is held for a person,
 * and which calls it gives the outcome of. Those count as delivered once the answer was written.
 */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { CallExchange } from "@/lib/proxy/answer-call";
import { MCP_HELD_PER_TOKEN_MAX } from "@/lib/limits";
import { KimitsuError } from "@/lib/errors";

export class Exchange implements CallExchange {
  readonly #answered: string[] = [];
  readonly #done = Promise.withResolvers<void>();
  readonly #gone = new AbortController();
  readonly signal = this.#gone.signal;

  constructor(
    private readonly held: Set<Exchange>,
    private readonly markHeld: () => void,
  ) {}

  onAnswered = (callId: string): void => void this.#answered.push(callId);

  /** The client left, its token was revoked, or this process is about to end. */
  end(reason: string): void {
    this.#gone.abort(new DOMException(reason, "AbortError"));
  }

  /** Resolves when it was answered, or nobody is there to be. */
  release(reason: string): Promise<void> {
    this.end(reason);
    return this.#done.promise;
  }

  done(): void {
    this.#done.resolve();
  }

  get answered(): readonly string[] {
    return this.#answered;
  }

  /** Work that may wait for people: it is not among the requests that the process works on. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.held.size >= MCP_HELD_PER_TOKEN_MAX)
      throw new KimitsuError(
        "rate_limited",
        `This token has ${this.held.size} requests open, which is the most; wait for some of them, or ask for their outcome later.`,
        { retryAfterS: 5 },
      );
    this.held.add(this);
    this.markHeld();
    try {
      return await work();
    } finally {
      this.held.delete(this);
    }
  }
}

const exchanges = new WeakMap<Request, Exchange>();

export const bindExchange = (request: Request, exchange: Exchange): void => void exchanges.set(request, exchange);

export function exchangeOf(ctx: ServerContext): Exchange {
  const exchange = ctx.http?.req && exchanges.get(ctx.http.req);
  if (!exchange) throw new Error("unreachable: a request that did not come through the door");
  return exchange;
}
