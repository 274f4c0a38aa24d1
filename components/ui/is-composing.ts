/**
 * What an input method sends while it is in use. Safari sends the Enter that ends a composition after its end, with the
 * code of one that is processed.
 */
const PROCESSED = 229;

/** Whether a key belongs to a text that is being composed: its Enter chooses a word and sends nothing. */
export function isComposing(event: { isComposing: boolean; keyCode: number }): boolean {
  return event.isComposing || event.keyCode === PROCESSED;
}
