/**
 * How long this process has run, in milliseconds: a clock that nobody sets. `performance.now()` says the same, but costs
 * a process that starts for one event a millisecond to load.
 */
export function uptimeMs(): number {
  return process.uptime() * 1_000;
}
