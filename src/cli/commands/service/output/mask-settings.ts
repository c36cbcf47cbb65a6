import { secretPlaceholder } from "../../../../text/secret-placeholder.ts";

/** Names of settings in which every text may be a secret: keys of custom models above all. */
const secretName = /(?:key|secret|token|password|credential\w*|authorization|headers)$/i;

/** Whether every text in a setting of this name may be a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/**
 * An organization's settings with `[secret]` in place of each text that may be one.
 * @param isSecret whether the value itself is in a setting whose texts may be secrets
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
