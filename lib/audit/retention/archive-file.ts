/**
 * The files of detached months. Their digests are sealed on the trail, so a file that is still in its place can be
 * checked; the operator decides where to move them.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import path from "node:path";
import type { Retained } from "@/lib/audit/rules/retained";
import { env } from "@/lib/env";

export const archiveFolder = (): string => path.resolve(env.KIMITSU_DATA, "archive");

export interface ChangedArchive {
  file: string;
  problem: string;
  /** When its partition was detached. */
  at: string;
}

export async function findChangedArchives({ archives }: Retained, folder: string): Promise<ChangedArchive[]> {
  const changed: ChangedArchive[] = [];
  for (const { file, digest, at } of archives) {
    const place = path.join(folder, path.basename(file));
    if (!existsSync(place) || (await digestFile(place)) === digest) continue;
    changed.push({ file, problem: "its content was changed: the digest is not the one that was sealed", at });
  }
  return changed;
}

export async function digestFile(place: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of createReadStream(place)) sum.update(piece as Buffer);
  return `sha256:${sum.digest("hex")}`;
}
