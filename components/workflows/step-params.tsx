import type { EffectiveParam } from "@/lib/config/effective-params";

export interface ServerParams {
  server: string;
  params: EffectiveParam[];
}

const ORIGINS: Record<EffectiveParam["origin"], string> = {
  default: "default",
  agent: "agent",
  profile: "profile",
  workflow: "workflow step",
  missing: "no value",
};

/** The params that each tool server gets in this step, and the line that says so. */
export function StepParams({ servers }: { servers: readonly ServerParams[] }) {
  if (servers.length === 0) return null;
  return (
    <ul aria-label="Params of its servers" className="mt-1 grid gap-0.5 text-sm">
      {servers.flatMap(({ server, params }) =>
        params.map(({ name, value, origin, source }) => (
          <li key={`${server}.${name}`} className="wrap-anywhere">
            <code>
              {server}.{name}
            </code>
            {origin === "missing" ? null : (
              <>
                {" = "}
                <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
              </>
            )}
            <span className="text-ink-3">
              {" "}
              {ORIGINS[origin]}, <code>{source}</code>
            </span>
          </li>
        )),
      )}
    </ul>
  );
}
