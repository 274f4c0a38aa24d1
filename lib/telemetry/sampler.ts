/**
 * Everything is recorded except what is not informative: probes and files, which are requested every few seconds, and
 * what Next.js preloads at its start. Sampling is left to the collector.
 */
import { trace, TraceFlags } from "@opentelemetry/api";
import { type Sampler, SamplingDecision, type SamplingResult } from "@opentelemetry/sdk-trace";

const QUIET = /^\/(healthz|readyz|metrics|_next\/.*)(\?|$)/;

export const sampler: Sampler = {
  shouldSample(...[parent, , name, , attributes]: Parameters<Sampler["shouldSample"]>): SamplingResult {
    const above = trace.getSpanContext(parent);
    // A caller's flag must not decide what we record; the flag of our own span says that it was left out.
    const isLeftOut = above !== undefined && above.isRemote !== true && (above.traceFlags & TraceFlags.SAMPLED) === 0;
    const isQuiet = typeof attributes["http.target"] === "string" && QUIET.test(attributes["http.target"]);
    const isLoadedAhead = above === undefined && name === "load route module";
    return {
      decision:
        isLeftOut || isQuiet || isLoadedAhead ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
    };
  },
  toString: () => "AllButProbes",
};
