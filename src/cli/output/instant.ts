/**
 * Formats an instant for programs, ISO 8601 in UTC.
 * @param ms Unix milliseconds
 */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Formats an instant that may be unknown, ISO 8601 in UTC.
 * @param ms Unix milliseconds
 */
export function formatInstant(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toInstant(ms);
}
