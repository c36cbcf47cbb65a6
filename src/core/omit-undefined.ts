/** Type `T` in which every field may also be undefined. */
export type WithUndefined<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/** Returns a copy of `fields` without the undefined values. */
export function omitUndefined<T extends object>(fields: WithUndefined<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
