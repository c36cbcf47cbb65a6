import { join } from "node:path";
import type { Alert, Concern } from "../../src/attention/alert.ts";
import { threadKey } from "../../src/attention/session-keys.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import type { CliHome } from "./cli-home.ts";

/** Makes an open request of a session, as the worker keeps it. */
export function concern(id: string, changes: Partial<Omit<Concern, "event">> & { event?: Partial<AgentEvent> } = {}) {
  const { kind = "needs-you", atMs = Date.now(), event, ...others } = changes;
  const own = { id, atMs, event: "Notification", nativeEvent: "Notification", agent: "claude", project: "shop" };
  return {
    ...{ id, atMs, kind, state: "ringing", calls: [], facts: {}, messages: {} },
    event: { ...own, kind, message: "Bash: git push", extra: {}, ...event },
    ...others,
  } as Concern;
}

/** Makes the alert of a session, by default of Claude's `s-1` in the shop. */
export function makeAlert(changes: Partial<Alert> = {}): Alert {
  const session = { agent: "claude", sessionId: "s-1", cwd: "/home/me/shop", ...changes };
  const { host, agent, sessionId, cwd } = session;
  const key = threadKey({ agent, ...omitUndefined({ host, sessionId, cwd }) });
  return { v: 1, key, project: "shop", lastAtMs: Date.now(), lastEvent: "Notification", concerns: [], ...session };
}

/** Writes alerts as the worker does. */
export function writeAlerts(home: CliHome, ...alerts: readonly Alert[]): void {
  for (const alert of alerts) {
    home.write(join(home.paths.state, "alerts", `${alert.key}.json`), JSON.stringify(alert));
  }
}
