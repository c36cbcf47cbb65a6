import { expect } from "vitest";
import { answer, answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, limited, type Reading } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

interface Push extends Reading {
  readonly guid?: string;
  dismissed: boolean;
}

const fault = (status: number, type: string): Behaviour =>
  answerJson(status, { error: { type, message: "The resource could not be found.", cat: "(=^‥^)" } });

/**
 * Starts Pushbullet with one account, whose devices show the pushes that are not dismissed. Pushes with the same `guid`
 * are the same push. https://docs.pushbullet.com/#update-push
 */
export async function startPushbulletServer(): Promise<ChangeWorld> {
  const pushes = new Map<string, Push>();
  let count = 0;
  const create = ({ title, body, guid }: Push): Behaviour => {
    const known = [...pushes].find(([, push]) => guid !== undefined && push.guid === guid && !push.dismissed)?.[0];
    if (known === undefined) count += 1;
    const iden = known ?? `ubdpjxxxOK0s${count}`;
    pushes.set(iden, { title, body, ...(guid !== undefined && { guid }), dismissed: false });
    return answerJson(200, { iden, active: true, dismissed: false });
  };
  const update = (iden: string, { dismissed }: Partial<Push>): Behaviour => {
    const push = pushes.get(iden);
    if (!push) return fault(404, "invalid_request");
    push.dismissed = dismissed === true;
    return answerJson(200, { iden, active: true, dismissed });
  };
  const refusal = fault(401, "invalid_access_token");
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers["access-token"] !== canary) return refusal;
    const [, iden] = (method === "POST" && /^\/v2\/pushes(?:\/(\w+))?$/.exec(path)) || [];
    return iden === undefined ? create(JSON.parse(body)) : update(iden, JSON.parse(body));
  };
  const server = await startRuledServer({ reply, refusal, clear: () => pushes.clear() });
  return {
    ...server,
    settings: { server: server.origin, token: canary },
    listActive: async () => {
      const shown = [...pushes.values()].filter(({ dismissed }) => !dismissed);
      return shown.map(({ title, body }) => ({ title, body }));
    },
  };
}

export const settings = (server: string) => ({ server, token: canary, deviceIden: "ujpah72o0sjAoRtnM0jc" });

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { iden: "ubdpjxxxOK0sKG", active: true }),
  rejections: [
    ["a wrong token", answerJson(401, { error: { code: "invalid_access_token" } }), "auth"],
    [
      "a quota with a time in Unix seconds",
      answer(429, { "x-ratelimit-reset": String(Date.parse("2026-11-20T12:10:00Z") / 1000) }, "{}"),
      limited(600_000),
    ],
    ["a fault with headers of a quota", answer(500, { "x-ratelimit-reset": "7200" }, "{}"), "unavailable"],
  ],
  read({ body }) {
    const { title, body: text } = JSON.parse(body);
    return { title, body: text };
  },
  valid({ body, headers, path }) {
    expect(path).toBe("/v2/pushes");
    expect(headers["access-token"]).toBe(canary);
    expect(JSON.parse(body)).toMatchObject({ type: "note", guid: "evt-1", device_iden: "ujpah72o0sjAoRtnM0jc" });
  },
  mentions: ["<a href='https://evil.example'>x</a>"],
};

export const changeCase: Cases["changeCase"] = {
  start: startPushbulletServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { iden: 5 }, { iden: "" }, { iden: "../users/me" }],
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/v2/users/me" },
  success: answerJson(200, { iden: "ujpah72o0", email: "me@example.com" }),
};
