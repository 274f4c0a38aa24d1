/** What was typed before the palette was there. */
export interface EarlyText {
  text: string;
  /** Whether Enter was pressed after it. */
  isSent: boolean;
}

/** The same as the field would have made of the key. */
export function takeEarlyKey({ text, isSent }: EarlyText, key: string): EarlyText {
  if (key === "Enter") return { text, isSent: text.trim() !== "" };
  if (key === "Backspace") return { text: text.slice(0, -1), isSent: false };
  return key.length === 1 ? { text: text + key, isSent: false } : { text, isSent };
}
