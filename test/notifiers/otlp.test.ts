import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { otlp } from "../../src/notifiers/otlp.ts";
import { answer, answerJson } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { deliverTo } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { changesAt, followingCollector } from "./contract/following-programs.ts";
import { canary } from "./contract/notifier-case.ts";
import { readRecord, recordIn } from "./contract/otlp-record.ts";

const partial = (part: object) => answerJson(200, { partialSuccess: part });
const settings = (origin: string) => ({ endpoint: `${origin}/otlp/`, headers: { "x-key": canary } });
const success = answerJson(200, {});

describeHttpNotifier(otlp, {
  settings,
  success,
  final: [408, 425, 500],
  rejections: [
    ["a refused record", partial({ rejectedLogRecords: "1", errorMessage: "too old" }), "rejected"],
    ["a refusal without a message", partial({ rejectedLogRecords: 1 }), "rejected"],
    ["501, which is not retried", answerJson(501, { code: 12 }), "rejected"],
    ["502, which is retried", answerJson(502, { code: 14 }), "unavailable"],
    ["504, which is retried", answerJson(504, {}, { "retry-after": "9" }), { reason: "unavailable", waitMs: 9_000 }],
  ],
  read: ({ body }) => readRecord(recordIn(body)),
  valid({ body, path, headers }) {
    expect(path).toBe("/otlp/v1/logs");
    expect(headers["x-key"]).toBe(canary);
    expect(recordIn(body)).toMatchObject({ severityNumber: 13, severityText: "WARN", eventName: "agent.notification" });
  },
  mentions: ["{{ body }} %{message} ${body}"],
});

describeChanges(otlp, { ...changesAt(followingCollector) });

const buildRecord = (message: Partial<Message>, more: object = {}) => {
  const call = localCall(otlp.settings.parse({ endpoint: "http://127.0.0.1:9", ...more }), {}, message);
  const nowMs = Date.parse("2026-11-01T00:00:05Z");
  return recordIn(otlp.request({ ...call, host: "laptop", nowMs }).body ?? "");
};

test("a record has its time, its resource and its conventions", () => {
  expect(
    buildRecord({ title: "shop needs you", body: "May I?" }, { resource: { "deployment.environment.name": "ci" } }),
  ).toEqual({
    resource: { "service.name": "beckon", "host.name": "laptop", "deployment.environment.name": "ci" },
    schemaUrl: "https://opentelemetry.io/schemas/1.41.0",
    timeUnixNano: "1793491200000000000",
    observedTimeUnixNano: "1793491205000000000",
    severityNumber: 13,
    severityText: "WARN",
    eventName: "agent.notification",
    body: "shop needs you\nMay I?",
    attributes: {
      "gen_ai.agent.name": "droid",
      "gen_ai.conversation.id": "s-1",
      "beckon.id": "evt_01",
      "beckon.kind": "needs-you",
      "beckon.project": "shop",
    },
  });
});

test.each([
  ["needs-you", "WARN", 13],
  ["failed", "ERROR", 17],
  ["finished", "INFO", 9],
  ["info", "DEBUG", 5],
] as const)("%s is %s", (kind, severityText, severityNumber) => {
  expect(buildRecord({ kind })).toMatchObject({ severityText, severityNumber });
});

test("the receiver's own words say why it refused a record, with likely secrets masked", async () => {
  const words = `attribute too long, key sk-ant-api03-${"x".repeat(90)}AA`;
  const refusal = partial({ rejectedLogRecords: "1", errorMessage: words });
  const { lines } = await deliverTo(refusal, otlp, { settings });
  expect(lines[0]?.reason).toMatch(/^rejected: .* did not accept the log record; it said: attribute too long, key /);
  expect(lines[0]?.reason).not.toContain("xxxx");
});

test.each([
  ["a warning beside a success", partial({ rejectedLogRecords: "0", errorMessage: "old format" })],
  ["an empty answer", answer(200, {}, "")],
  ["an answer without content", answer(204)],
])("%s is a success", async (_, behaviour) => {
  const { delivery } = await deliverTo(behaviour, otlp, { settings });
  expect(delivery.status).toBe("sent");
});
