import * as z from "zod";
import { isSuccess, parseReply } from "../core/http-port.ts";
import type { Receipt } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { duration } from "../text/duration.ts";
import { defineHttpNotifier, type OutgoingRequest, type RequestParts } from "./shared/http-notifier.ts";
import { loginHeaders, userSettings } from "./shared/login.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/server-address.ts";

const alertNames = {
  "needs-you": "AgentNeedsYou",
  failed: "AgentFailed",
  finished: "AgentFinished",
  info: "AgentInfo",
} as const satisfies Record<Kind, string>;

/** Kinds whose alerts stay open until somebody acts. Alerts of other kinds expire. */
const openKinds: readonly Kind[] = ["needs-you", "failed"];
/** Lifetime of a test message's alert, 60 s. By default, Alertmanager waits 30 s before it notifies. */
const testAlertMs = 60_000;
/** Interval for repeating open alerts. By default, Alertmanager resolves an alert 5 minutes after its last repeat. */
const repeatIntervalMs = 30_000;

const settingsSchema = z.object({
  servers: z
    .array(serverAddress)
    .min(1, "must have at least one address")
    .max(20, "must have 20 addresses at most")
    .describe(
      "Addresses of Alertmanager; for a cluster, those of all nodes. It is enough if one node accepts the alert.",
    ),
  token: secret(z.string().min(1)).optional().describe("Bearer token, if a proxy asks for one."),
  ...userSettings,
  labels: z
    .record(
      z.string().regex(/^(?!(alertname|kind|host|agent|project|session)$)[A-Za-z_][A-Za-z0-9_]*$/, {
        error: "must be the name of a label, and none that beckon sets itself",
      }),
      z.string().min(1, "must not be empty: to Alertmanager that is no label"),
    )
    .optional()
    .describe("Labels to add to `alertname`, `kind`, `host`, `agent`, `project` and `session`."),
  endsAfter: duration({ min: "1m", max: "7d" })
    .prefault("1h")
    .describe("Time after which an alert for `finished` or `info` is resolved, at the latest."),
});
type Settings = z.output<typeof settingsSchema>;
type Parts = RequestParts<Settings>;

/** Session and kind of an alert. They identify the alert even if its message changes. */
const receiptSchema = z.object({ session: z.string().regex(/^[0-9a-f]{12}$/), kind: z.enum(kinds) });
type Identity = z.output<typeof receiptSchema>;

function buildIdentity({ thread, message }: Pick<Parts, "thread" | "message">): Identity | undefined {
  return thread && { session: thread.key.slice(0, 12), kind: message.kind };
}

/** Builds an alert. Alertmanager treats alerts with the same labels as the same alert. */
function buildAlert(
  { settings, message, host, nowMs }: Parts,
  { session, kind }: Partial<Identity>,
  endsAtMs: number | undefined,
) {
  const { agent, project, title, body } = message;
  const alertname = alertNames[kind ?? message.kind];
  const ownLabels = { alertname, kind: kind ?? message.kind, ...omitUndefined({ host }), agent, project };
  return {
    labels: { ...settings.labels, ...ownLabels, ...omitUndefined({ session }) },
    annotations: { summary: title, ...(body !== "" && { description: body }) },
    // The message may come from a machine whose clock is ahead, and an alert must not end before it starts.
    startsAt: new Date(Math.min(Date.parse(message.at), nowMs)).toISOString(),
    ...(endsAtMs !== undefined && { endsAt: new Date(endsAtMs).toISOString() }),
  };
}

/**
 * Picks the time after which an alert ends on its own, milliseconds. Undefined if the alert stays open until its
 * session resolves it. A test message has no session, so its alert always gets a time.
 */
function lifetimeMs({ thread, message, settings }: Parts, kind: Kind): number | undefined {
  if (!openKinds.includes(kind)) return settings.endsAfter;
  if (thread) return undefined;
  return message.kind === "needs-you" ? testAlertMs : settings.endsAfter;
}

/** Builds an active alert, either new or repeated. */
function openAlert(parts: Parts, identity: Identity | undefined) {
  const afterMs = lifetimeMs(parts, identity?.kind ?? parts.message.kind);
  const endsAtMs = afterMs === undefined ? undefined : parts.nowMs + afterMs;
  return buildAlert(parts, identity ?? {}, endsAtMs);
}

/**
 * Lists the session's previous alert, now ended. The list is empty if there is no such alert or the new message
 * continues it.
 */
function previousAlert(parts: Parts): object[] {
  const previous = receiptSchema.safeParse(parts.thread?.previous).data;
  return !previous || previous.kind === parts.message.kind ? [] : [buildAlert(parts, previous, parts.nowMs)];
}

function post(settings: Settings, alerts: readonly object[]): OutgoingRequest {
  return { ...prepareRequest(settings, "/api/v2/alerts"), body: JSON.stringify(alerts) };
}

function prepareRequest({ servers, ...login }: Settings, path: string): OutgoingRequest {
  const [url = "", ...alsoTo] = servers.map((server) => server + path);
  return { url, alsoTo, headers: loginHeaders(login) };
}

/** Builds the request that posts a changed alert for a receipt. Undefined if the receipt is malformed. */
function buildChange(
  receipt: Receipt,
  settings: Settings,
  alert: (identity: Identity) => object,
): OutgoingRequest | undefined {
  const identity = receiptSchema.safeParse(receipt).data;
  return identity && post(settings, [alert(identity)]);
}

/**
 * Notifier for Alertmanager, which groups, silences and routes alerts but has no acknowledgement. Open alerts are
 * repeated, because a restarted node forgets alerts and every node resolves an alert that is no longer repeated.
 */
export const alertmanager = defineHttpNotifier({
  name: "alertmanager",
  summary: "Raises an alert in Prometheus Alertmanager and resolves it once it has been dealt with.",
  source: "https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml",
  guide: async () => ({ where: { servers: "Its port is 9093 unless you changed it: http://127.0.0.1:9093." } }),
  audience: "machine",
  settings: settingsSchema,
  usedOnlyWith: { password: "user" },
  example: { servers: ["https://am-1.example.org:9093", "https://am-2.example.org:9093"], labels: { team: "shop" } },
  // Alertmanager has no limit, but the receivers behind it have.
  limits: { unit: "graphemes", title: 200, body: 4_000 },
  lifecycle: {
    withdrawn: "resolved",
    replaces: true,
    keepsStates: () => true,
    repeats: {
      everyMs: repeatIntervalMs,
      kinds: openKinds,
      request: (parts, receipt) => buildChange(receipt, parts.settings, (identity) => openAlert(parts, identity)),
    },
  },
  request: (parts) => post(parts.settings, [openAlert(parts, buildIdentity(parts)), ...previousAlert(parts)]),
  receipt: (_, parts) => buildIdentity(parts),
  withdraw: {
    request: (parts, receipt) =>
      buildChange(receipt, parts.settings, (identity) => buildAlert(parts, identity, parts.nowMs)),
  },
  // A successful reply has an empty body.
  classifyReply: (reply) => (isSuccess(reply) && reply.body.trim() !== "" ? notFrom("Alertmanager") : undefined),
  hints: { auth: "Check `servers`, with the path if it is not at the top, and `token` or `user` and `password`." },
  verification: {
    request: (settings) =>
      settings.servers.map((server) => ({ url: `${server}/api/v2/status`, headers: loginHeaders(settings) })),
    classifyReply: (reply) =>
      isSuccess(reply) && typeof parseReply(reply)?.["versionInfo"] !== "object" ? notFrom("Alertmanager") : undefined,
  },
});
