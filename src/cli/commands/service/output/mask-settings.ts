import { secretPlaceholder } from "../../../../text/secret-placeholder.ts";

/** Names of settings with secret texts, above all the keys of custom models. */
const secretName = /(?:key|secret|token|password|credential\w*|authorization|headers)$/i;

/** Checks if texts in a setting of this name may be secrets. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * Replaces possible secrets in an organization's settings by `[secret]`.
 * @param isSecret true inside a setting with secret texts
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
