/** A message did not arrive. */
export class SendFailure extends Error {
  constructor(
    message: string,
    /** Trying again later may help. */
    readonly isPassing: boolean,
    /** The wait that the other side asks for. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}
