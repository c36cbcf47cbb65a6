/** Steps at which a test can kill the process: after each of them the event, or the settings file, is whole. */
export type FaultPoint =
  | "put:opened"
  | "put:half"
  | "put:written"
  | "put:visible"
  | "locked"
  | "claimed"
  | "parsed"
  | "sent"
  | "settle:written"
  | "settle:visible"
  | "settled"
  | "settings:temp"
  | "settings:recorded"
  | "settings:renamed";

/** Kills this process with SIGKILL if `BECKON_FAULT` names the step. Does nothing otherwise. */
export function fault(point: FaultPoint): void {
  if (process.env["BECKON_FAULT"] === point) process.kill(process.pid, "SIGKILL");
}
