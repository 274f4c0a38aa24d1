/** The result of a load test, as a table. */
import os from "node:os";
import { format } from "./report.mjs";

const ms = ({ count, p50, p99, max }) =>
  count === 0 ? "none" : `${format(p50, 1)} / ${format(p99, 1)} / ${format(max)} ms`;
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);
/** Below this share a rate was not reached. */
const REACHED = 0.98;

function describeRate(wanted, { done, skipped }, seconds) {
  const reached = done / seconds;
  const verdict =
    reached >= wanted * REACHED
      ? ""
      : `, **not the ${wanted}/s that were asked for**${skipped > 0 ? `; ${skipped} were not sent, because 200 were under way` : ""}`;
  return `${format(done)}, ${format(reached, 1)}/s${verdict}`;
}

export function describeLoad({ options, report, loadBefore }) {
  const { errors, seconds, started, decisions, dispatch, streams, memory } = report;
  const errorText = Object.entries(errors)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join("; ");
  const rows = [
    ["errors", errorText ? `**${sum(errors)}**: ${errorText}` : "0"],
    ["runs started", describeRate(options.runs, started, seconds)],
    ["decisions", describeRate(options.decisions, decisions, seconds)],
    ["request that starts a run, p50 / p99 / longest", ms(started)],
    ["request that decides, p50 / p99 / longest", ms(decisions)],
    ["decision sent → call at the tool server, p50 / p99 / longest", ms(dispatch)],
    [
      "event streams open at the end",
      `${streams.open} of ${options.sse}, ${format(streams.heard)} events; ${streams.missed} questions were not heard of within 10 s`,
    ],
    [
      "runs that were not over when the load ended",
      `${format(report.openAtEnd)}, of which ${format(report.waitingAtEnd)} waited for a decision`,
    ],
    ...(options.paused > 0 ? [["paused runs beside it", format(options.paused)]] : []),
  ];
  const cpu = os.cpus()[0]?.model.trim() ?? "unknown processor";
  return `${options.minutes} min: ${options.runs} runs/s, of which ${options.decisions}/s ask a person, ${options.sse} open inboxes${options.workers > 0 ? `, ${options.workers} worker processes` : ""}. ${os.cpus().length} × ${cpu}, ${Math.round(os.totalmem() / 2 ** 30)} GB, load ${loadBefore.toFixed(1)} before; clients, tool server and Postgres on the same machine.

| | |
|---|---|
${rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n")}

| memory, MB | start | middle | end | per minute |
|---|---|---|---|---|
${memory.map(({ name, startMb, middleMb, endMb, mbPerMinute }) => `| ${name} | ${format(startMb)} | ${format(middleMb)} | ${format(endMb)} | ${mbPerMinute >= 0 ? "+" : ""}${format(mbPerMinute, 2)} |`).join("\n")}
${report.logLines.length > 0 ? `\nFirst lines of the log:\n\n\`\`\`\n${report.logLines.join("\n")}\n\`\`\`\n` : ""}`;
}
