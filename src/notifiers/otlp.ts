import { hostname } from "node:os";
import * as z from "zod";
import { type HttpReply, isSuccess, parseReply, type Rejection } from "../core/http-port.ts";
import type { Message } from "../core/message.ts";
import type { ChangeCall, NotifierCall } from "../core/notifier-call.ts";
import { secret } from "../core/secret.ts";
import { kebabCase } from "../core/vocabulary.ts";
import { defineHttpNotifier, type OutgoingRequest } from "./shared/http-notifier.ts";
import { titleAndBody } from "./shared/markup.ts";
import { notFrom } from "./shared/reply-rules.ts";
import { serverAddress } from "./shared/settings.ts";
import { type MessageState, stateMessage, stateReceipt, statesSetting } from "./shared/states.ts";

/** Severities of the log data model: https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber */
const severityNumbers = { ERROR: 17, WARN: 13, INFO: 9, DEBUG: 5 } as const;
const urgency = { "needs-you": "WARN", failed: "ERROR", finished: "INFO", info: "DEBUG" } as const;

/**
 * Schema of the last release with the `gen_ai` attributes, which have moved to another repository and may still change.
 */
const schemaUrl = "https://opentelemetry.io/schemas/1.41.0";

const settingsSchema = z.object({
  endpoint: serverAddress.describe("Address of the receiver; `/v1/logs` is added."),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "must be the name of a header"), secret(z.string()))
    .optional()
    .describe("Request headers, such as a key."),
  resource: z
    .record(z.string().regex(/^[\w.-]+$/, "must be the name of an attribute"), z.string())
    .optional()
    .describe("Resource attributes to add to `service.name` (`beckon`) and `host.name`."),
  states: statesSetting,
});
type Settings = z.output<typeof settingsSchema>;

/** Builds an attribute list; unknown values are left out. */
function attributes(values: Readonly<Record<string, string | undefined>>) {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  );
}

/** Formats a time in nanoseconds as a text, because a JavaScript number cannot hold it exactly. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}

/**
 * Builds the log record of a message or of the message's later state.
 * https://opentelemetry.io/docs/specs/otel/logs/data-model/
 */
function buildRecord(message: Message, nowMs: number, state?: MessageState) {
  const severityText = state ? "INFO" : urgency[message.kind];
  return {
    timeUnixNano: nanoseconds(state ? nowMs : Date.parse(message.at)),
    observedTimeUnixNano: nanoseconds(nowMs),
    severityNumber: severityNumbers[severityText],
    severityText,
    eventName: state ? "agent.alert" : `agent.${kebabCase(message.event)}`,
    body: { stringValue: titleAndBody(message) },
    attributes: attributes({
      "gen_ai.agent.name": message.agent,
      "gen_ai.conversation.id": message.sessionId,
      "beckon.id": message.id,
      "beckon.kind": message.kind,
      "beckon.project": message.project,
      "beckon.state": state,
    }),
  };
}

function post({ settings, message, view, ports }: NotifierCall<Settings>, state?: MessageState): OutgoingRequest {
  const host = view.event.host ?? hostname();
  const resource = attributes({ "service.name": "beckon", "host.name": host, ...settings.resource });
  const scopeLogs = [
    { scope: { name: "beckon" }, logRecords: [buildRecord(message, ports.clock.now(), state)], schemaUrl },
  ];
  const body = JSON.stringify({ resourceLogs: [{ resource: { attributes: resource }, scopeLogs, schemaUrl }] });
  return { url: `${settings.endpoint}/v1/logs`, headers: { ...settings.headers }, body };
}

function postState(verb: "update" | "withdraw", call: ChangeCall<Settings>): OutgoingRequest | undefined {
  const found = stateMessage(verb, call);
  return found && post({ ...call, message: found.message }, found.state);
}

/** HTTP statuses that allow a retry: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const retryable: readonly number[] = [429, 502, 503, 504];

function classifyReply(reply: HttpReply): Rejection | undefined {
  const { status } = reply;
  if (!isSuccess(reply)) {
    const isRetriedElsewhere = status === 408 || status === 425 || status >= 500;
    if (!isRetriedElsewhere || retryable.includes(status)) return undefined;
    return { reason: "rejected", message: `answered ${status}, which OTLP does not allow to be tried again` };
  }
  const json = parseReply(reply);
  if (!json) return reply.body.trim() === "" ? undefined : notFrom("a receiver of OTLP");
  const { rejectedLogRecords, errorMessage } = (json["partialSuccess"] ?? {}) as Readonly<Record<string, unknown>>;
  if (!(Number(rejectedLogRecords) > 0)) return undefined;
  const said = typeof errorMessage === "string" ? { said: errorMessage } : {};
  return { reason: "rejected", message: "did not accept the log record", ...said };
}

/** Notifier for OpenTelemetry. It sends a log record for each event over OTLP/HTTP with JSON. */
export const otlp = defineHttpNotifier({
  name: "otlp",
  summary: "Sends the event as a log record to an OpenTelemetry collector, by OTLP over HTTP.",
  source: "https://opentelemetry.io/docs/specs/otlp/#otlphttp",
  guide: async () => ({ where: { endpoint: "A collector listens at http://127.0.0.1:4318 unless you changed it." } }),
  audience: "machine",
  settings: settingsSchema,
  example: { endpoint: "https://otel.example.org:4318", headers: { "x-api-key": "${env:OTLP_KEY}" } },
  limits: { unit: "bytes", title: 500, body: 8_000 },
  fallbackLimits: { unit: "bytes", title: 200, body: 500 },
  urgency,
  lifecycle: { withdrawn: "reported", condition: "with `states`" },
  request: (call) => post(call),
  receipt: (_, { settings, message }) => stateReceipt(settings, message),
  update: { request: (call) => postState("update", call) },
  withdraw: { request: (call) => postState("withdraw", call) },
  classifyReply,
  hints: { auth: "Check `endpoint`, without `/v1/logs`, and `headers`." },
});
