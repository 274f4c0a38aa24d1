/** Tunables of the built-in tool servers, with their unit and what changing them does. */

/** Components and characters of a path. Deeper trees are refused, so that no walk over one is endless. */
export const PATH_DEPTH_MAX = 64;
export const PATH_LENGTH_MAX = 4_096;

/** Names read of one folder, and names given back. A folder with more is listed in part, and the answer says so. */
export const LIST_NAMES_MAX = 10_000;
export const LIST_ENTRIES_MAX = 1_000;

/** What one search may look at. Higher finds more in huge trees, and lets one call keep the disk busy for longer. */
export const SEARCH_ENTRIES_MAX = 20_000;
export const SEARCH_BYTES_MAX = 64 * 1024 * 1024;
export const SEARCH_MATCHES_MAX = 200;
/** Characters of a matching line that are given back. */
export const SEARCH_LINE_MAX = 240;

/** Redirects of one reading request; more are a circle or a trap. */
export const REDIRECTS_MAX = 5;
/** Headers that a call may send, in number and characters. */
export const HEADERS_MAX = 50;
export const HEADERS_LENGTH_MAX = 8_192;
/** Bytes of a request's body. */
export const REQUEST_BYTES_MAX = 1024 * 1024;

/** Time and memory for reading one page. A hostile page ends its own thread, and nothing else. */
export const HTML_TIME_MAX_MS = 10_000;
export const HTML_MEMORY_MB = 256;
