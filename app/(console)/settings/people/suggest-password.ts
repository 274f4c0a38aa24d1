/** 32 letters and digits that cannot be mistaken for one another, so that five random bits pick one without bias. */
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

/** Four groups of six: 120 bits. */
export function suggestPassword(): string {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => LETTERS[byte % LETTERS.length]);
  return [0, 6, 12, 18].map((start) => letters.slice(start, start + 6).join("")).join("-");
}
