/** Facts of an event, as they were sealed. */
type EventFacts = Readonly<Record<string, unknown>>;

const SETTLED: Readonly<Record<string, string>> = {
  succeeded: "it happened",
  approved: "it did not happen",
  failed: "it counts as failed",
};

/**
 * What an event is about, in a few words: the call, the verdict, the layer and the line that decided, who it was done
 * to, what a person said of it. Nothing that an agent or a model wrote; the opened event shows all of it.
 */
export function describeEvent(data: EventFacts, call: { tool: string; summary: string } | null): string {
  const text = (name: string): string =>
    typeof data[name] === "string" || typeof data[name] === "number" ? String(data[name]) : "";
  const tool = call?.tool ?? [text("server"), text("tool")].filter(Boolean).join(".");
  const said = text("reason") || text("comment") || text("note");
  const parts = [
    tool,
    call?.summary,
    text("model") ? `turn ${text("turn")}, ${text("model")}` : text("step"),
    text("verdict"),
    SETTLED[text("to")],
    typeof data.accepted === "boolean" ? (data.accepted ? "accepted" : "refused") : "",
    text("status").replaceAll("_", " "),
    text("code"),
    [text("layer").replaceAll("_", " "), text("source")].filter(Boolean).join(" "),
    text("workflow"),
    ...["email", "name", "role", "provider"].map(text),
    said && `“${said}”`,
  ];
  return parts.filter(Boolean).join(" · ");
}
