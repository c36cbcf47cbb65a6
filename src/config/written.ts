import { referencePattern } from "../core/secret.ts";

declare const provenance: unique symbol;

/** A value for the configuration file whose origin is known; made by `own` or `foreign`. */
export type Written<Value = unknown> = Value & { readonly [provenance]: true };

/** An object for the configuration file, each member `Written`. */
export type WrittenFields<Fields> = { readonly [Key in keyof Fields]: Written<NonNullable<Fields[Key]>> };

/** Marks a value that this user typed, or that beckon made: a reference in it counts. */
export function own<Value>(value: Value): Written<Value> {
  return value as Written<Value>;
}

/** Marks each member of an object as `own` does. */
export function ownFields<Fields extends object>(fields: Fields): WrittenFields<Fields> {
  return fields as WrittenFields<Fields>;
}

/** Escapes every text of a value from elsewhere (an invitation, a server, another machine), so that none is a reference. */
export function foreign<Value>(value: Value): Written<Value> {
  return escapeTexts(value) as Written<Value>;
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === "string") return escapeReference(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapeTexts(inner)]));
}

/** `$${env:X}` for `${env:X}`, which `resolveReferences` reads as the text `${env:X}`; other texts as they are. */
function escapeReference(text: string): string {
  return referencePattern.test(text.replace(/^\$+(?=\$)/, "")) ? `$${text}` : text;
}
