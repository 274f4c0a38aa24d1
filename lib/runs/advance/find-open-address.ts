import { listAddressChoosers } from "@/lib/config/address-template";
import { isSecret } from "@/lib/config/secret-ref";
import { readValue, type TemplateScope } from "@/lib/config/template";

/**
 * The expression that determines a webhook's address without being fixed by the file or the deployment, or null.
 * `validate` refuses it together with a secret and shows the whole path of the value; here it is enforced for a project
 * that an earlier release checked. Only `validate` knows where a param of a sub-workflow comes from, unless it is a
 * secret.
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
