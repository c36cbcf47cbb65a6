import { expect } from "vitest";
import { answer, answerJson } from "../../world/hostile-server.ts";
import { faultIn, type PostedAlert, readAlert, startAlertmanagerServer } from "../alertmanager-server.ts";
import { type Cases, canary } from "../contract/notifier-case.ts";

export const alertsIn = (body = ""): PostedAlert[] => JSON.parse(body);

export const httpCase: Cases["httpCase"] = {
  settings: (origin) => ({ servers: [origin], user: "beckon", password: canary }),
  success: answer(200, {}, ""),
  rejections: [
    ["labels that it rejects", answerJson(400, "invalid label set"), "rejected"],
    ["another program's JSON", answerJson(200, { ok: true }), "unavailable"],
  ],
  read: ({ body }) => readAlert(alertsIn(body)[0] ?? expect.fail("no alert")),
  valid({ body, path }) {
    expect(path).toBe("/api/v2/alerts");
    const [alert, ...others] = alertsIn(body);
    expect(others).toEqual([]);
    expect(alert && faultIn(alert)).toBeUndefined();
    expect(alert?.labels).toMatchObject({ alertname: "AgentNeedsYou", kind: "needs-you", agent: "claude" });
  },
  mentions: ['{{ template "slack.default.text" . }} {{ .Labels }} $labels'],
};

export const changeCase: Cases["changeCase"] = {
  start: startAlertmanagerServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { session: "x", kind: "failed" }, { session: "0123456789ab", kind: "x" }],
};

export const probeCase: Cases["probeCase"] = {
  settings: (origin) => ({ servers: [origin], token: canary }),
  asks: { method: "GET", path: "/api/v2/status" },
  success: answerJson(200, { cluster: { status: "ready" }, versionInfo: { version: "0.33.1" } }),
};
