"use client";

import { lazy, Suspense, useState } from "react";
import type { SavePreferences, Theme } from "@/components/theme/theme";
import type { Person } from "./person";
import { PersonButton } from "./person-button";

/** The menu's code is a sixth of a page's script, and most visits never open it: it is loaded at the first press. */
const AccountMenu = lazy(() => import("./account-menu"));

interface Props {
  person: Person;
  theme: Theme;
  save: SavePreferences;
  signOut: () => Promise<void>;
}

export function PersonMenu(props: Props) {
  const [isWanted, setWanted] = useState(false);
  const closed = (
    <PersonButton person={props.person} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
  );
  return isWanted ? (
    <Suspense fallback={closed}>
      <AccountMenu {...props} />
    </Suspense>
  ) : (
    closed
  );
}
