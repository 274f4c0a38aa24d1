import { cookies } from "next/headers";
import { parseZone, ZONE_COOKIE } from "@/components/shell/zone";

/** The reader's time zone, in which pages take and count times; UTC until their browser has sent it. */
export async function readerZone(): Promise<string> {
  return parseZone((await cookies()).get(ZONE_COOKIE)?.value);
}
