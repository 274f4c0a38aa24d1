/** A program that walks the points named on its command line, saying each after it, and then ends by itself. */
import { pause, type PausePoint } from "@/lib/pause";

const [subject, ...points] = process.argv.slice(2);
for (const point of points) {
  await pause(point as PausePoint, subject);
  process.stdout.write(`${point}\n`);
}
process.stdout.write("done\n");
// The channel to the parent would keep the process alive; that the pause socket does not is what the tests look at.
process.disconnect?.();
