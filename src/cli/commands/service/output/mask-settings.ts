import { secretPlaceholder } from "../../../../text/secret-placeholder.ts";

/** Matches names of fields with secret texts, above all the keys of custom models. `group_key` is not secret. */
const secretName =
  /(?:(?<!group_)keys?|secrets?|tokens?|passwords?|passwd|passphrase|credential\w*|authorization|headers|cookies?)$/i;

/** Tells if texts in a field of this name may be secrets. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * Replaces possible secrets in a value from the service by `[secret]`.
 * @param isSecret true inside a field with secret texts
 */
export function maskSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === "string") return isSecret ? secretPlaceholder : value;
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    maskSecrets(inner, isSecret || isSecretName(name)),
  ]);
  return Object.fromEntries(entries);
}
