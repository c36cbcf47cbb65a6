/** `T` with every field also allowed to be undefined. */
export type WithUndefined<T> = { readonly [Key in keyof T]: T[Key] | undefined };

/** Copies `fields` without undefined values. */
export function omitUndefined<T extends object>(fields: WithUndefined<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
