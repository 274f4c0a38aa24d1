/** A program that passes the points named on its command line, prints each after it, and then ends by itself. */
import { pause, type PausePoint } from "@/lib/pause";

const [subject, ...points] = process.argv.slice(2);
for (const point of points) {
  await pause(point as PausePoint, subject);
  process.stdout.write(`${point}\n`);
}
process.stdout.write("done\n");
// The channel to the parent would keep the process alive; the tests check that the pause socket does not.
process.disconnect?.();
