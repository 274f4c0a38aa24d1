/** Ends what was started, last first, when a signal asks for it or something fails. */
import { reportFailure } from "../plain-error.mjs";

/** npm passes Ctrl-C on to a script that already got it from the terminal; only a later one is a person's second. */
const SAME_PRESS_MS = 700;
const PARENT_CHECK_MS = 250;

/**
 * `signalExitCode` is the exit code of an end that a signal asked for: a start that was stopped has done its work, a
 * test run has not.
 */
export function createLifecycle({ say = console.log, signalExitCode = 0 } = {}) {
  const started = [];
  const asked = new AbortController();
  let askedAt = 0;
  let ending;

  async function endAll(code) {
    asked.abort();
    // What is awaited here does not by itself keep the process alive, and it must not end before the last stop.
    setInterval(() => {}, 60_000);
    for (const { name, stop } of started.reverse()) {
      try {
        await stop();
        if (name) say(`  ${name} stopped`);
      } catch (error) {
        say(`  ${name} could not be stopped: ${error.message}`);
        code ||= 1;
      }
    }
    process.exit(code);
  }

  function onSignal(name) {
    if (!ending) {
      askedAt = Date.now();
      say(`\nStopping (${name}). Press Ctrl-C again to stop at once.`);
      ending = endAll(signalExitCode);
    } else if (askedAt > 0 && Date.now() - askedAt > SAME_PRESS_MS) {
      say("Stopped at once; the next start repairs what was cut off.");
      for (const { kill } of started) kill?.();
      process.exit(130);
    }
  }
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => onSignal(name));
  watchParent(() => onSignal("npm has ended"));

  return {
    /** Aborted once the end has begun; long steps listen to it. */
    signal: asked.signal,
    /** `stop` ends it in an orderly way, `kill` at once. Without a name it ends silently. */
    started: (name, stop, kill) => started.push({ name, stop, kill }),
    end: (code) => (ending ??= endAll(code)),
    /** For the failure of a step. One that only failed because the end had begun is not reported. */
    fail: (error) => {
      if (ending) return ending;
      const code = reportFailure(error);
      return (ending = endAll(code));
    },
  };
}

/**
 * A signal to npm ends npm and the shell between us, but the shell does not pass it on. Nobody who stopped `npm start`
 * expects it to continue, so the loss of the parent counts as a request to stop. Started without npm, we may be meant
 * to outlive the parent.
 */
function watchParent(onLost) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onLost();
  }, PARENT_CHECK_MS);
  timer.unref();
}
