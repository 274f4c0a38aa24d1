"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import type { SavePreferences } from "@/components/theme/theme";
import { CheckField } from "@/components/ui/field";
import { usePreference } from "@/components/ui/use-preference";

const REFUSED =
  "This browser does not let this site notify you. Allow it in the browser's settings for this site, then try again.";

/** The choice is stored with the account; whether a browser may show notifications is asked in each browser. */
export function NoticesSwitch({ initial, save }: { initial: boolean; save: SavePreferences }) {
  const { refresh } = useRouter();
  const [refusal, setRefusal] = useState<string | null>(null);
  const { value, problem, change } = usePreference(initial, async (notifications: boolean) => {
    const why = await save({ notifications });
    if (why === null) refresh();
    return why;
  });
  async function choose(isOn: boolean) {
    const why = isOn ? await askBrowser() : null;
    setRefusal(why);
    if (why === null) change(isOn);
  }
  const shown = problem ?? refusal;
  return (
    <div className="grid gap-1.5">
      <CheckField
        label="Tell me on the desktop when a call waits for me"
        hint="Only calls that you may decide, and without their arguments. It works while a page of the console is open, also in the background."
        checked={value}
        onChange={(event) => void choose(event.target.checked)}
      />
      {shown ? (
        <p role="alert" className="text-sm text-critical">
          {shown}
        </p>
      ) : null}
    </div>
  );
}

/** Null when the browser agrees. */
async function askBrowser(): Promise<string | null> {
  if (typeof Notification === "undefined")
    return "This browser has no notifications for pages without TLS, or none at all.";
  if (Notification.permission !== "granted" && (await Notification.requestPermission()) !== "granted") return REFUSED;
  try {
    new Notification("Notifications are on", {
      body: "This is how a waiting call is told.",
      tag: "kimitsu-trial",
      icon: "/icon-192.png",
    });
    return null;
  } catch {
    return "This browser shows notifications of installed applications only, so this page cannot show any.";
  }
}
