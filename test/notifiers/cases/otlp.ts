import { expect } from "vitest";
import { answerJson } from "../../world/hostile-server.ts";
import { changesAt, followingCollector } from "../contract/following-programs.ts";
import { type Cases, canary } from "../contract/notifier-case.ts";
import { readRecord, recordIn } from "../contract/otlp-record.ts";

export const partial = (part: object) => answerJson(200, { partialSuccess: part });
export const settings = (origin: string) => ({ endpoint: `${origin}/otlp/`, headers: { "x-key": canary } });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, {}),
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
};

export const changeCase: Cases["changeCase"] = changesAt(followingCollector);
