import { answer, answerJson, type Behaviour, type Captured } from "../world/hostile-server.ts";
import type { ChangeWorld } from "./contract/notifier-case.ts";
import { canary, type Reading } from "./contract/notifier-case.ts";
import { startRuledServer } from "./contract/ruled-server.ts";

/** An alert as posted. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
}

/** An Alertmanager node without its timeouts: an alert stays open until it is resolved. */
export interface AlertmanagerServer extends ChangeWorld {
  readonly origin: string;
  /** The open alerts. */
  alerts(): readonly PostedAlert[];
}

/**
 * Finds the reason why a node rejects an alert; undefined if it does not.
 * https://github.com/prometheus/alertmanager/blob/main/api/v2/api.go
 */
export function faultIn({ labels, startsAt, endsAt }: PostedAlert): string | undefined {
  if (Object.keys(labels).length === 0) return "at least one label pair required";
  if (Object.keys(labels).some((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))) return "invalid label set";
  return startsAt && endsAt && endsAt < startsAt ? "start time must be before end time" : undefined;
}

/** Starts a node that receives open and resolved alerts. Alerts with the same labels are the same. */
export async function startAlertmanagerServer(): Promise<AlertmanagerServer> {
  const open = new Map<string, PostedAlert>();
  const hasEnded = ({ endsAt }: PostedAlert) => endsAt !== undefined && Date.parse(endsAt) <= Date.now();
  const take = (alert: PostedAlert): void => {
    const key = JSON.stringify(Object.entries(alert.labels).sort());
    if (hasEnded(alert)) open.delete(key);
    else open.set(key, alert);
  };
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers.authorization !== `Bearer ${canary}`) return answer(401, {}, "Unauthorized");
    if (method !== "POST" || path !== "/api/v2/alerts") return answerJson(404, { code: 404, message: "not found" });
    const alerts = JSON.parse(body) as PostedAlert[];
    const fault = alerts.map(faultIn).find(Boolean);
    if (fault) return answerJson(400, fault);
    alerts.forEach(take);
    return answer(200, {}, "");
  };
  const server = await startRuledServer({ reply, refusal: answer(403, {}, "Forbidden"), clear: () => open.clear() });
  return {
    ...server,
    settings: { servers: [server.origin], token: canary },
    alerts: () => [...open.values()],
    listActive: async () => [...open.values()].map(readAlert),
  };
}

/** Reads an alert as a person would see it. */
export function readAlert({ annotations }: PostedAlert): Reading {
  return { title: annotations["summary"] ?? "", body: annotations["description"] ?? "" };
}
