declare module "pg/lib/utils.js" {
  /** A value in the form in which the driver sends it. */
  export function prepareValue(value: unknown): unknown;
}
