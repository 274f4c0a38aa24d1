import path from "node:path";
import { argv } from "node:process";

/** Where Kimitsu itself is: scripts/run-ts.mjs names the entry it was asked for, lib/cli/main.ts, as the program. */
export const repositoryRoot = (): string => path.resolve(argv[1] ?? "", "../../..");
