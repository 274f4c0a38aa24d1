/**
 * Passwords: what is accepted, how they are kept (scrypt with its parameters beside it), how they are compared (in
 * constant time).
 */
import { randomBytes, randomInt, scrypt, timingSafeEqual } from "node:crypto";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "@/lib/limits";

interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

// 64 MiB and about a tenth of a second for each guess.
const COST: ScryptCost = { N: 2 ** 16, r: 8, p: 1 };
const KEY_BYTES = 32;

export function passwordProblem(password: string, email: string): string | null {
  if (password.length < PASSWORD_LENGTH_MIN)
    return `A password needs at least ${PASSWORD_LENGTH_MIN} characters; this one has ${password.length}.`;
  if (password.length > PASSWORD_LENGTH_MAX) return `A password may have at most ${PASSWORD_LENGTH_MAX} characters.`;
  if (password.toLowerCase().includes(email.toLowerCase())) return "A password must not contain the e-mail address.";
  if (new Set(password).size < 5) return "This password repeats too few characters; mix more of them.";
  return null;
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** Takes as long for nobody (`null`) as for somebody, so that timing does not reveal which e-mails exist. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt, key] = (stored ?? (await nobodysHash())).split("$");
  if (scheme !== "scrypt" || !salt || !key) return false;
  const expected = Buffer.from(key, "base64url");
  const given = await derive(password.slice(0, PASSWORD_LENGTH_MAX), Buffer.from(salt, "base64url"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(given, expected) && stored !== null;
}

/** Four groups of letters and digits, without characters that look or sound alike. */
export function generatePassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join("");
  return Array.from({ length: 4 }, group).join("-");
}

let nobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  return (nobody ??= hashPassword(randomBytes(16).toString("hex")));
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 256 * cost.N * cost.r };
    scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
