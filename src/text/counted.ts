/** Formats a count, such as `1 event` or `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins names, followed by the number of names left out, if any: `shop, api, 3 more`. @param total number of all names */
export function joinNames(shown: readonly string[], total: number): string {
  return [...shown, ...(total > shown.length ? [`${total - shown.length} more`] : [])].join(", ");
}
