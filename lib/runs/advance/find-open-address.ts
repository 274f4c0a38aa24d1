import { listAddressChoosers } from "@/lib/config/address-template";
import { isSecret } from "@/lib/config/secret-ref";
import { readValue, type TemplateScope } from "@/lib/config/template";

/**
 * What chooses where a webhook goes although neither the file nor the deployment has fixed it: the expression, or null.
 * `validate` refuses it together with a secret, with the whole way of the value; here it is held to for a project that
 * an earlier release had checked. Where a param of a sub-workflow comes from is only known to `validate`, unless it is
 * a secret.
 */
export function findOpenAddress(url: string, scope: TemplateScope): string | null {
  const isRoot = scope.env !== undefined;
  const open = listAddressChoosers(url).find((expression) => {
    if (expression.root === "env") return false;
    const value = readValue(expression, ["url"], scope);
    if (isSecret(value)) return value.sources.some(({ kind }) => kind === "param");
    return expression.root !== "params" || isRoot;
  });
  return open?.text ?? null;
}
