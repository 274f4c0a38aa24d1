import { cookies } from "next/headers";
import { parseZone, ZONE_COOKIE } from "@/components/shell/zone";

/** The zone of the reader's clock, in which pages take and count times; UTC as long as their browser has not said. */
export async function readerZone(): Promise<string> {
  return parseZone((await cookies()).get(ZONE_COOKIE)?.value);
}
