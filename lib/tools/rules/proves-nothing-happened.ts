/**
 * Which answers to a sent request prove that nothing was done. Any other answer that is not a result leaves the outcome
 * unknown, and a person is asked. The whole table is docs/reference/outcomes.md.
 */

/**
 * Each says that the request was not accepted. Not included: 408 and 499, with which a proxy ends its own waiting; 424,
 * which is about another action; 301 to 303, with which servers redirect after the work; and everything from 500 up.
 */
const REFUSING_STATUS: ReadonlySet<number> = new Set([
  307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425,
  426, 428, 429, 431, 451,
]);

/** Status of the HTTP answer to the request itself; the answer to any other request says nothing about this one. */
export function isRefusingStatus(status: number | null): boolean {
  return status !== null && REFUSING_STATUS.has(status);
}

const INVALID_PARAMS = -32_602;

/**
 * Codes of JSON-RPC and MCP: a parse error or invalid request, an unknown method, wrong params, a header, capability or
 * version that does not fit, and a page that somebody has to visit first. An internal error may occur in the middle of
 * the work.
 */
const REFUSING_CODE: ReadonlySet<number> = new Set([
  -32_700,
  -32_600,
  -32_601,
  INVALID_PARAMS,
  -32_020,
  -32_021,
  -32_022,
  -32_042,
]);

/**
 * Servers also use the code for wrong params when a tool's result does not fit its output schema: by then the work is
 * done.
 */
export function isRefusingCode(code: number, { hasOutputSchema }: { hasOutputSchema: boolean }): boolean {
  return REFUSING_CODE.has(code) && !(code === INVALID_PARAMS && hasOutputSchema);
}
