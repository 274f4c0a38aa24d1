import { LocalTime } from "@/components/runs/local-time";
import { Section } from "@/components/ui/section";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { findPause } from "@/lib/runs/queries/find-pause";
import { titleFor } from "../../title-for";
import { PauseButton } from "./pause-button";

export const generateMetadata = titleFor("admin", "Pause");

export default async function AllCallsPage() {
  await requirePermission("admin");
  const pause = await findPause(engineDeps().db);
  return (
    <Section
      title="Pause all calls"
      about="For an incident or a deploy. Models may still be asked, and people may still decide; what they approve is sent when calls go again."
    >
      {pause ? (
        <p>
          <strong className="font-semibold">Paused</strong> since <LocalTime at={pause.since.toISOString()} withDate />
          {pause.by ? ` by ${pause.by}` : ""}. No tool is called.
        </p>
      ) : (
        <p>
          <strong className="font-semibold">Not paused.</strong> Calls are sent as the policy and people allow.
        </p>
      )}
      <div>
        <PauseButton isPaused={pause !== null} />
      </div>
    </Section>
  );
}
