/**
 * A secret is a reference until the moment of use. Every way of printing it gives `[secret]`; the value is read only by
 * `reveal`, from the resolver that the caller passes at that moment.
 */

/** The source of the value; names are not secret, so they may appear in errors and chains. */
export interface SecretSource {
  /** `env`: a declared environment variable. `param`: a secret parameter that the caller of the run gave. */
  kind: "env" | "param";
  name: string;
}

export type SecretResolver = (source: SecretSource) => string | undefined;

/** A secret whose value is encoded for the place where it is used. */
interface ChangedSecret {
  of: SecretRef;
  change: (value: string) => string;
}

type Part = string | SecretSource | ChangedSecret;

const PRINTED = "[secret]";

export class SecretRef {
  readonly #parts: readonly Part[];

  /**
   * An own function: JSON and loggers call it, and structuredClone refuses objects that hold one, where it would
   * otherwise silently return an empty object.
   */
  readonly toJSON = (): string => PRINTED;

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
    Object.freeze(this);
  }

  static env(name: string): SecretRef {
    return new SecretRef([{ kind: "env", name }]);
  }

  static param(name: string): SecretRef {
    return new SecretRef([{ kind: "param", name }]);
  }

  /** A secret written in the file itself (the backtick literal of `auth.secret`); it is still never printed. */
  static literal(value: string): SecretRef {
    return new SecretRef([value]);
  }

  /** Text with secrets in it, such as `Basic {{ env.TOKEN }}`: the whole is a secret. */
  static join(parts: readonly (string | SecretRef)[]): SecretRef {
    return new SecretRef(parts.flatMap((part) => (typeof part === "string" ? [part] : part.#parts)));
  }

  /**
   * Encoded at the moment of use, such as percent-encoded for an address. `change` may throw; its error must not
   * contain the value.
   */
  static changed(secret: SecretRef, change: (value: string) => string): SecretRef {
    return new SecretRef([{ of: secret, change }]);
  }

  /** What has to be resolved, for secret chains and for checks at boot. */
  get sources(): SecretSource[] {
    return this.#parts.flatMap((part) =>
      typeof part === "string" ? [] : "of" in part ? part.of.sources : [{ ...part }],
    );
  }

  /** The value, for the one call that needs it. Throws, naming the source and never a value, when it is missing. */
  reveal(resolve: SecretResolver): string {
    return this.#parts.map((part) => revealPart(part, resolve)).join("");
  }

  toString(): string {
    return PRINTED;
  }

  [Symbol.toPrimitive](): string {
    return PRINTED;
  }

  get [Symbol.toStringTag](): string {
    return "secret";
  }

  /** What `util.inspect` and `console.log` call. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return PRINTED;
  }
}

export function isSecret(value: unknown): value is SecretRef {
  return value instanceof SecretRef;
}

/**
 * Replaces every secret inside a JSON-like value by its text. Only for the moment of use: the result must not be kept.
 */
export function revealSecrets(value: unknown, resolve: SecretResolver): unknown {
  if (isSecret(value)) return value.reveal(resolve);
  if (Array.isArray(value)) return value.map((entry) => revealSecrets(entry, resolve));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, revealSecrets(entry, resolve)]));
}

/** Every secret inside a JSON-like value. */
export function listSecrets(value: unknown): SecretRef[] {
  if (isSecret(value)) return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap(listSecrets);
}

function revealPart(part: Part, resolve: SecretResolver): string {
  if (typeof part === "string") return part;
  return "of" in part ? part.change(part.of.reveal(resolve)) : revealSource(part, resolve);
}

function revealSource(source: SecretSource, resolve: SecretResolver): string {
  const value = resolve(source);
  if (typeof value === "string") return value;
  const what = source.kind === "env" ? `environment variable ${source.name}` : `parameter ${source.name}`;
  throw new Error(`The secret of ${what} is not available; set it where this process runs.`);
}
