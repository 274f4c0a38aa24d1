/** Runs one of `peers/`: `node peer.mjs <name> <task as JSON>`. */
import { runSubject } from "./subject.mjs";

const [, , name, task] = process.argv;
const { open } = await import(`./peers/${name}.mjs`);
await runSubject(open, { url: process.env.DATABASE_URL, task: JSON.parse(task) });
