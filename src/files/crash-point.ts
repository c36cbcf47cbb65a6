/** Steps after which a test can kill the process, to check that the event or the settings file is still complete. */
export type CrashPoint =
  | "put:opened"
  | "put:half"
  | "put:written"
  | "put:visible"
  | "locked"
  | "claimed"
  | "parsed"
  | "sent"
  | "alert:noted"
  | "alert:recorded"
  | "alert:changed"
  | "relay:stored"
  | "relay:noted"
  | "relay:received"
  | "settle:written"
  | "settle:visible"
  | "settled"
  | "settings:temp"
  | "settings:recorded"
  | "settings:renamed";

/** Kills this process with SIGKILL if the variable `BECKON_CRASH_AT`, which only tests set, names the step. */
export function crashPoint(point: CrashPoint): void {
  if (process.env["BECKON_CRASH_AT"] === point) process.kill(process.pid, "SIGKILL");
}
