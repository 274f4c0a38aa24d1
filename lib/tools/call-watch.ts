/**
 * Follows one tool call from its start. Answers the decisive question: has a byte of it left this process? Found
 * through the async context, because the path from the call to the socket goes through the MCP client.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { LimitExceeded } from "./limit-body";

/** The answer's stream has ended without the answer. */
export class AnswerMissing extends Error {
  override readonly name = "AnswerMissing";
}

/** The process of the server has ended, which proves nothing about a call that it was given. */
export class ServerEnded extends Error {
  override readonly name = "ServerEnded";
}

/** An answer that was read completely is delivered within this time; otherwise it was not an answer to this call. */
const SETTLE_MS = 100;

export class CallWatch {
  #isSent = false;
  #isClaimed = false;
  #settleTimer: NodeJS.Timeout | undefined;
  #fail: (error: Error) => void = () => {};
  readonly #controller = new AbortController();
  /** Rejects when it is certain that no answer will come; never resolves. */
  readonly failed = new Promise<never>((_resolve, reject) => (this.#fail = reject));
  #httpStatus: number | null = null;

  /** `mayBeSent` is checked at the last moment; what it refuses is never sent. */
  constructor(private readonly mayBeSent: () => boolean = () => true) {
    // A watch may still fail when nobody waits for it any more.
    this.failed.catch(() => {});
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Status of the answer to the request that carried the call; null while there is none. */
  get httpStatus(): number | null {
    return this.#httpStatus;
  }

  /** A call is given to the transport once. Any second attempt is refused, whatever its reason. */
  claim(): void {
    if (this.#isClaimed) throw new Error("This call was already given to the server; it is not sent again.");
    this.#isClaimed = true;
  }

  /** Allows another try of a call of which nothing was sent, after its first try has ended. */
  renew(): void {
    if (this.#isSent) throw new Error("unreachable: a call that was sent is not tried again");
    this.#isClaimed = false;
  }

  /**
   * To be called right before the first byte leaves. Throws when the call was given up meanwhile, must not be made any
   * more, or was already sent: then nothing leaves.
   */
  markSent(): void {
    if (this.#isSent) throw new Error("This call has left already; it is not sent again.");
    if (!this.mayBeSent()) this.stop(new DOMException("it is no longer this process's to make", "AbortError"));
    this.signal.throwIfAborted();
    this.#isSent = true;
  }

  /** To be called with the answer to the request that carried the call, and for no other request of its connection. */
  answered(status: number): void {
    this.#httpStatus = status;
  }

  exceeded(error: LimitExceeded): void {
    this.#fail(error);
  }

  serverEnded(error: ServerEnded): void {
    this.#fail(error);
  }

  streamEnded(isResumable: boolean): void {
    if (isResumable || this.signal.aborted) return;
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(
      () => this.#fail(new AnswerMissing("the server ended its answer without answering")),
      SETTLE_MS,
    );
  }

  /** Gives the call up: an open request is aborted, one that waits for its connection is never sent. */
  stop(reason: Error): void {
    clearTimeout(this.#settleTimer);
    this.#controller.abort(reason);
  }
}

/** The call during which something runs. */
export const callContext = new AsyncLocalStorage<CallWatch>();
/** The call whose own message is being sent right now; null for all other messages of the connection. */
export const sendContext = new AsyncLocalStorage<CallWatch | null>();
