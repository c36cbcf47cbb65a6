import { hostname } from "node:os";
import * as z from "zod";
import { DeliveryError, transientReasons } from "../core/errors.ts";
import { type HttpPort, isSuccess, parseReply } from "../core/http-port.ts";
import type { ChangeCall, NotifierCall } from "../core/notifier-call.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { secret } from "../core/secret.ts";
import { type Kind, kinds } from "../core/vocabulary.ts";
import { duration } from "../text/duration.ts";
import { type AnyCall, defineHttpNotifier, type OutgoingRequest } from "./shared/http-notifier.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { loginHeaders, serverAddress, userSettings } from "./shared/settings.ts";

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
/** Longest wait for the replies of several servers. One hanging server must not use up the whole attempt's time. */
const serverTimeoutMs = 4_000;

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
type Call = NotifierCall<Settings>;

/** Session and kind of an alert. They identify the alert even if its message changes. */
const receiptSchema = z.object({ session: z.string().regex(/^[0-9a-f]{12}$/), kind: z.enum(kinds) });
type Identity = z.output<typeof receiptSchema>;

function buildIdentity({ thread, message }: Call): Identity | undefined {
  return thread && { session: thread.key.slice(0, 12), kind: message.kind };
}

/**
 * Builds an alert. Alertmanager treats alerts with the same labels as the same alert.
 * @param afterMs time after which the alert ends, 0 for an ended alert; undefined if it stays open
 */
function buildAlert(call: Call, { session, kind }: Partial<Identity>, afterMs: number | undefined) {
  const { settings, message, view, ports } = call;
  const { agent, project, title, body } = message;
  const nowMs = ports.clock.now();
  const alertname = alertNames[kind ?? message.kind];
  const host = view.event.host ?? hostname();
  const ownLabels = { alertname, kind: kind ?? message.kind, host, agent, project };
  return {
    labels: { ...settings.labels, ...ownLabels, ...omitUndefined({ session }) },
    annotations: { summary: title, ...(body !== "" && { description: body }) },
    // The message may come from a machine whose clock is ahead, and an alert must not end before it starts.
    startsAt: new Date(Math.min(Date.parse(message.at), nowMs)).toISOString(),
    ...(afterMs !== undefined && { endsAt: new Date(nowMs + afterMs).toISOString() }),
  };
}

/**
 * Picks the time after which an alert ends on its own, milliseconds. Undefined if the alert stays open until its
 * session resolves it. A test message has no session, so its alert always gets a time.
 */
function lifetimeMs({ thread, message, settings }: Call, kind: Kind): number | undefined {
  if (!openKinds.includes(kind)) return settings.endsAfter;
  if (thread) return undefined;
  return message.kind === "needs-you" ? testAlertMs : settings.endsAfter;
}

/** Builds an active alert, either new or repeated. */
function openAlert(call: Call, identity: Identity | undefined) {
  return buildAlert(call, identity ?? {}, lifetimeMs(call, identity?.kind ?? call.message.kind));
}

/**
 * Lists the session's previous alert, now ended. The list is empty if there is no such alert or the new message
 * continues it.
 */
function previousAlert(call: Call): object[] {
  const previous = receiptSchema.safeParse(call.thread?.previous).data;
  return !previous || previous.kind === call.message.kind ? [] : [buildAlert(call, previous, 0)];
}

const alertsAddress = (server = "") => `${server}/api/v2/alerts`;

function buildRequest({ servers, ...login }: Settings, alerts: readonly object[]): OutgoingRequest {
  return { url: alertsAddress(servers[0]), headers: loginHeaders(login), body: JSON.stringify(alerts) };
}

/** Builds the request that posts a receipt's alert, still open or ended. Undefined if the receipt is malformed. */
function buildChange(call: ChangeCall<Settings>, isOpen: boolean): OutgoingRequest | undefined {
  const identity = receiptSchema.safeParse(call.receipt).data;
  return identity && buildRequest(call.settings, [isOpen ? openAlert(call, identity) : buildAlert(call, identity, 0)]);
}

/**
 * Posts requests to all servers at once; one success is enough. Then the failures become remarks. If all servers
 * failed, the error of one is thrown, preferably a temporary error.
 */
function postToAny(
  post: HttpPort["post"],
  { settings: { servers }, signal, remark }: AnyCall<Settings>,
): HttpPort["post"] {
  if (servers.length === 1) return post;
  return async (request) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(serverTimeoutMs)]);
    const outcomes = await Promise.allSettled(
      servers.map((server) => post({ ...request, url: alertsAddress(server), signal: limited })),
    );
    const errors: unknown[] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    const accepted = outcomes.find((outcome) => outcome.status === "fulfilled");
    const isTransient = (error: unknown) => error instanceof DeliveryError && transientReasons.includes(error.reason);
    if (!accepted) throw errors.find(isTransient) ?? errors[0];
    for (const error of errors) {
      const text = error instanceof DeliveryError ? error.message : "a fault in the notifier";
      remark?.(`a server has not taken it: ${text}`);
    }
    return accepted.value;
  };
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
      async repeat(call) {
        const request = buildChange(call, true);
        if (request) await call.ports.http.post({ ...request, signal: call.signal });
      },
    },
  },
  request: (call) => buildRequest(call.settings, [openAlert(call, buildIdentity(call)), ...previousAlert(call)]),
  receipt: (_, call) => buildIdentity(call),
  withdraw: { request: (call) => buildChange(call, false) },
  wrapPost: postToAny,
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
