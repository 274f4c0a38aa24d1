/** Reads what `tokens.ts` printed, and counts. */
import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const { servers, ...turns } = JSON.parse(readFileSync(0, "utf8"));
const count = (tools) => ({
  tools: tools.length,
  bytes: Buffer.byteLength(JSON.stringify(tools)),
  tokens: encode(JSON.stringify(tools)).length,
});
console.log(
  JSON.stringify({
    servers,
    ...Object.fromEntries(Object.entries(turns).map(([name, tools]) => [name, count(tools)])),
  }),
);
