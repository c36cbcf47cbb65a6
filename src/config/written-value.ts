import { referencePattern } from "../core/secret.ts";

declare const provenance: unique symbol;

/** Value for the configuration file with a known origin, created by `own` or `foreign`. */
export type Written<Value = unknown> = Value & { readonly [provenance]: true };

/** Object for the configuration file with `Written` members. */
export type WrittenFields<Fields> = { readonly [Key in keyof Fields]: Written<NonNullable<Fields[Key]>> };

/** Marks a value from this user or from beckon. References in such a value are resolved later. */
export function own<Value>(value: Value): Written<Value> {
  return value as Written<Value>;
}

/** Marks each member of an object as `own` does. */
export function ownFields<Fields extends object>(fields: Fields): WrittenFields<Fields> {
  return fields as WrittenFields<Fields>;
}

/** Escapes every text of a value from an invitation, a server or another machine: no text may be a reference. */
export function foreign<Value>(value: Value): Written<Value> {
  return escapeTexts(value) as Written<Value>;
}

function escapeTexts(value: unknown): unknown {
  // `resolveReferences` turns `$${env:X}` back into the text `${env:X}`.
  if (typeof value === "string") return referencePattern.test(value.replace(/^\$+(?=\$)/, "")) ? `$${value}` : value;
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapeTexts(inner)]));
}
