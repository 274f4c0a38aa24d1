export async function register(): Promise<void> {
  // A separate file keeps Node's modules out of the edge bundle, which Next builds from this one too.
  if (process.env.NEXT_RUNTIME === "nodejs") await import("./instrumentation-node");
}
