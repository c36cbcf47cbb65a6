import { expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { otlp } from "../../src/notifiers/otlp.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answer, openHostileServer } from "../world/hostile-server.ts";
import { networkCall, networkPorts } from "../world/network-call.ts";
import { partial, settings } from "./cases/otlp.ts";
import { recordIn } from "./contract/otlp-record.ts";

const buildRecord = (message: Partial<Message>, more: object = {}) => {
  const ports = networkPorts(new FakeClock(Date.parse("2026-11-01T00:00:05Z")));
  const call = networkCall(otlp.settings.parse({ endpoint: "http://127.0.0.1:9", ...more }), message, ports);
  const view = { ...call.view, event: { ...call.view.event, host: "laptop" } };
  return recordIn(otlp.request({ ...call, view }).body ?? "");
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

test.each([
  ["a warning beside a success", partial({ rejectedLogRecords: "0", errorMessage: "old format" })],
  ["an empty answer", answer(200, {}, "")],
  ["an answer without content", answer(204)],
])("%s is a success", async (_, behaviour) => {
  const server = await openHostileServer({ "*": behaviour });
  await otlp.send(networkCall(otlp.settings.parse(settings(server.origin))));
  expect(server.requests).toHaveLength(1);
});
