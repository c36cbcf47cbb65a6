import { expect } from "vitest";
import { answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, type Reading } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

interface Push {
  readonly device_key: string;
  readonly title?: string;
  readonly body?: string;
  readonly id?: string;
  readonly delete?: string;
}

/** Makes the server's answer to a push. */
export const says = (status: number, message: string): Behaviour => answerJson(status, { code: status, message });

/**
 * Starts a Bark server and a phone with its app, both of which track ids. The server gives a push without text a
 * default text; the app expects `delete` as a text. https://github.com/Finb/bark-server/blob/master/route_push.go
 */
export async function startBarkServer(): Promise<ChangeWorld> {
  const onPhone = new Map<string, Reading>();
  let count = 0;
  const reply = ({ body }: Captured): Behaviour => {
    const { device_key, id, delete: isDelete, ...text }: Push = JSON.parse(body);
    if (device_key !== canary) return says(400, "failed to get device token: not found");
    if (isDelete === "1") {
      if (id !== undefined) onPhone.delete(id);
      return says(200, "success");
    }
    count += 1;
    onPhone.set(id ?? `n${count}`, readBark({ body: "Empty Message", ...text }));
    return says(200, "success");
  };
  const refusal = says(500, "push failed: Post: dial tcp: i/o timeout");
  const server = await startRuledServer({ reply, refusal, clear: () => onPhone.clear() });
  return {
    ...server,
    settings: { server: server.origin, deviceKey: canary, whenResolved: "delete" },
    listActive: async () => [...onPhone.values()],
  };
}

/** Reads a message as a person would see it. */
export function readBark({ title, body = "" }: Pick<Push, "title" | "body">): Reading {
  return title === undefined ? { title: body, body: "" } : { title, body };
}

export const settings = (server: string) => ({ server, deviceKey: canary });

/** Builds the server's push for Apple, as Go encodes it: bark-server's apns.go and encoding/json. */
function applePayload({ title = "", body = "", level, group }: Readonly<Record<string, string>>): string {
  const sound = { category: "myNotificationCategory", sound: "1107.caf", "mutable-content": 1 };
  const aps = { alert: { title, body }, "interruption-level": "time-sensitive", "thread-id": group, ...sound };
  return JSON.stringify({ aps, group, level }).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { code: 200, message: "success", timestamp: 1 }),
  rejections: [
    [
      "an unknown key",
      says(400, `failed to get device token: failed to get [${canary}] device token from database`),
      "auth",
    ],
    ["a device unknown to Apple", says(500, "push failed: APNS push failed: BadDeviceToken"), "auth"],
    ["a device that is gone", says(500, "push failed: APNS push failed: Unregistered"), "auth"],
    ["Apple out of reach", says(500, "push failed: Post: dial tcp: i/o timeout"), "unavailable"],
    ["invalid JSON", says(400, `request bind failed: ${canary}`), "rejected"],
    ["an error within a success", answerJson(200, { code: 400, message: canary }), "rejected"],
    ["a fault within a success", answerJson(200, { code: 500, message: canary }), "unavailable"],
    ["a code that is a sentence", answerJson(200, { code: `no ${canary}` }), "unavailable"],
  ],
  read: ({ body }) => readBark(JSON.parse(body)),
  valid({ body, path }) {
    expect(path).toBe("/push");
    const { device_key, ...push } = JSON.parse(body);
    expect(device_key).toBe(canary);
    expect(push).toMatchObject({ level: "timeSensitive", group: "shop" });
    expect(push.body).not.toBe("");
    expect(Buffer.byteLength(applePayload(push))).toBeLessThanOrEqual(4_096 - 2 * 100);
  },
  mentions: ['","url":"https://evil.example","body":"'],
};

export const changeCase: Cases["changeCase"] = {
  start: startBarkServer,
  withdrawn: "nothing",
  refusal: "unavailable",
  foreign: [{}, { id: 5 }, { id: "" }, { id: "A&x=1" }],
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/ping" },
  success: answerJson(200, { code: 200, message: "pong", timestamp: 1 }),
  addressOnly: true,
};
