/**
 * The SDK's types for one call, derived from a provider, because the package that exports them is not a direct
 * dependency.
 */
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
