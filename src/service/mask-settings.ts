import { secretPlaceholder } from "../text/clean.ts";

/** Matches names of fields with secret texts, above all the keys of custom models. `group_key` is not secret. */
const secretName =
  /(?:(?<!group_)keys?|secrets?|tokens?|passwords?|passwd|passphrase|credential\w*|authorization|headers|cookies?)$/i;

/** Tells if texts in a field of this name may be secrets. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** User name and password, or token, in an address: https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1 */
const credentials = /\b([a-z][a-z\d+.-]*:\/\/)[^/?#@\s]*@/gi;

/** Replaces the user name, password or token in addresses by `[secret]`. */
export function maskCredentials(text: string): string {
  return text.replace(credentials, `$1${secretPlaceholder}@`);
}

/**
 * Replaces possible secrets in a value from the service by `[secret]`, also in addresses.
 * @param isSecret true inside a field with secret texts
 */
export function maskSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === "string") return isSecret ? secretPlaceholder : maskCredentials(value);
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    maskSecrets(inner, isSecret || isSecretName(name)),
  ]);
  return Object.fromEntries(entries);
}
