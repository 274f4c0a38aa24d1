import { escapeInvisible } from "@/lib/text/tool-text";

/**
 * What `--json` prints: on one line, or indented for one thing that a person may read too. Control characters in
 * untrusted text are escaped.
 */
export const jsonLine = (value: unknown): string => escapeInvisible(JSON.stringify(value));
export const jsonBlock = (value: unknown): string => escapeInvisible(JSON.stringify(value, null, 2));
