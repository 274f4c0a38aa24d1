/** A model of the AI SDK's interface that asks for the tool, and ends once it has the tool's answer. */
const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const reason = (unified) => ({ unified, raw: unified });
const call = { type: "tool-call", toolCallId: "call_1", toolName: "act", input: '{"text":"act"}' };
const isAnswered = ({ prompt }) =>
  prompt.at(-1).role === "tool" && prompt.at(-1).content.some(({ type }) => type === "tool-result");

const stream = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

export const scriptedModel = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: async (options) =>
    isAnswered(options)
      ? { content: [{ type: "text", text: "done" }], finishReason: reason("stop"), usage, warnings: [] }
      : { content: [call], finishReason: reason("tool-calls"), usage, warnings: [] },
  doStream: async (options) => {
    const text = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "done" },
      { type: "text-end", id: "1" },
    ];
    const [parts, end] = isAnswered(options) ? [text, "stop"] : [[call], "tool-calls"];
    return {
      stream: stream([
        { type: "stream-start", warnings: [] },
        ...parts,
        { type: "finish", finishReason: reason(end), usage },
      ]),
    };
  },
};
