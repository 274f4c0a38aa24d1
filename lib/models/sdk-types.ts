/** The SDK's types for one call, read off a provider: they belong to a package that we do not depend on by name. */
import type { AnthropicProvider } from "@ai-sdk/anthropic";

export type SdkModel = ReturnType<AnthropicProvider>;
export type SdkCall = Parameters<SdkModel["doGenerate"]>[0];
export type SdkResult = Awaited<ReturnType<SdkModel["doGenerate"]>>;
export type SdkMessage = SdkCall["prompt"][number];
export type SdkAssistantPart = Extract<SdkMessage, { role: "assistant" }>["content"][number];
export type SdkToolResultPart = Extract<
  Extract<SdkMessage, { role: "tool" }>["content"][number],
  { type: "tool-result" }
>;
export type SdkTool = Extract<NonNullable<SdkCall["tools"]>[number], { type: "function" }>;
