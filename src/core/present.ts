/** An object type whose optional fields may also be there as `undefined`. */
export type Loose<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/** A copy without the fields that are undefined, so that absent facts are absent and not merely empty. */
export function present<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
