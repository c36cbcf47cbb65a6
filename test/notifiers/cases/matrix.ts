import { expect } from "vitest";
import { answerJson, type Behaviour, type Captured } from "../../world/hostile-server.ts";
import { type Cases, type ChangeWorld, canary, limited, type Reading, readLines } from "../contract/notifier-case.ts";
import { startRuledServer } from "../contract/ruled-server.ts";

const roomId = "!agents:example.org";
const maxEventBytes = 65_536;
/** Size of the fields that a server adds to an event, bytes: ids, hashes, signatures. */
const addedBytes = 4_000;

interface Content {
  readonly body: string;
  readonly "m.mentions"?: object;
  readonly "m.new_content"?: Content;
  readonly "m.relates_to"?: { readonly rel_type: string; readonly event_id: string };
}

const fault = (status: number, errcode: string, error: string): Behaviour => answerJson(status, { errcode, error });

/**
 * Starts a homeserver with one room that follows Synapse: a relation to an unknown event is refused, a relation to a
 * redacted event is accepted but invisible, and a repeated transaction gets the answer of the first one.
 */
export async function startMatrixServer(): Promise<ChangeWorld> {
  const events = new Map<string, Content>();
  const redacted = new Set<string>();
  const transactions = new Map<string, string>();
  let count = 0;
  const taken = (event_id: string): Behaviour => answerJson(200, { event_id });
  const send = (transaction: string, body: string): Behaviour => {
    const known = transactions.get(transaction);
    if (known !== undefined) return taken(known);
    if (Buffer.byteLength(body) + addedBytes > maxEventBytes) return fault(413, "M_TOO_LARGE", "event too large");
    const content = JSON.parse(body) as Content;
    const parent = content["m.relates_to"]?.event_id;
    const isLost = parent !== undefined && !events.has(parent);
    if (isLost) return fault(400, "M_UNKNOWN", "Can't send relation to unknown event");
    count += 1;
    const id = `$event${count}`;
    events.set(id, content);
    transactions.set(transaction, id);
    return taken(id);
  };
  const reply = ({ method, path, body, headers }: Captured): Behaviour => {
    if (headers.authorization !== `Bearer ${canary}`) return fault(401, "M_UNKNOWN_TOKEN", "Invalid access token");
    const [, room = "", transaction = ""] = path.match(/\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/) ?? [];
    const isMember = method === "PUT" && decodeURIComponent(room) === roomId;
    return isMember ? send(transaction, body) : fault(403, "M_FORBIDDEN", "not in the room");
  };
  const refusal = fault(403, "M_FORBIDDEN", "You don't have permission to post to that room");
  const clear = () => {
    events.clear();
    transactions.clear();
  };
  const server = await startRuledServer({ reply, refusal, clear });
  /** Finds a message with its latest edit; an edit of an edit does not count. */
  const findShown = (id: string, first: Content): Content => {
    const isEdit = ({ "m.relates_to": relation }: Content) =>
      relation?.event_id === id && relation.rel_type === "m.replace";
    const latest = [...events.values()].filter(isEdit).at(-1);
    return latest?.["m.new_content"] ?? first;
  };
  return {
    ...server,
    settings: { server: server.origin, token: canary, roomId },
    async listActive() {
      const messages = [...events].filter(([id, content]) => !content["m.relates_to"] && !redacted.has(id));
      return messages.map(([id, content]) => readMatrix(findShown(id, content)));
    },
    async removeAll() {
      for (const id of events.keys()) redacted.add(id);
    },
  };
}

/** Reads a message as a person would see it. If it declares no mentions, servers look for `@room` in its text. */
function readMatrix({ body, "m.mentions": mentions }: Content): Reading {
  return readLines(mentions ? body : body.replaceAll("@", "[mention]"));
}

export const settings = (server: string) => ({ server, token: canary, roomId: "!a/b:example.org" });
const sendPath = "/_matrix/client/v3/rooms/!a%2Fb%3Aexample.org/send/m.room.message";

export const httpCase: Cases["httpCase"] = {
  settings,
  success: answerJson(200, { event_id: "$x" }),
  rejections: [
    ["too fast, as of old", answerJson(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }), limited(2_500)],
    [
      "too fast, in both ways",
      answerJson(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }, { "retry-after": "3" }),
      limited(3_000),
    ],
    ["a wrong token", answerJson(401, { errcode: "M_UNKNOWN_TOKEN" }), "auth"],
    ["a room that the user is not in", answerJson(403, { errcode: "M_FORBIDDEN" }), "auth"],
    ["an event that is too large", answerJson(413, { errcode: "M_TOO_LARGE" }), "rejected"],
    ["a success without an event", answerJson(200, {}), "unavailable"],
  ],
  read({ body }, { title }) {
    const { body: text } = JSON.parse(body);
    return { title: text.slice(0, title.length), body: text.slice(title.length + 1) };
  },
  valid({ body, path, headers }) {
    expect([`${sendPath}/evt-1`, `${sendPath}/evt-1-fallback`]).toContain(path);
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    // Servers add ids, hashes and signatures to the event, some 4 kB.
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536 - 6_000);
    const { body: text, ...rest } = JSON.parse(body);
    expect(text).not.toBe("");
    expect(rest).toEqual({ msgtype: "m.text", "m.mentions": {} });
  },
  mentions: ["@room @alice:example.org <a href='https://matrix.to/#/@alice:example.org'>a</a>"],
};

export const changeCase: Cases["changeCase"] = {
  start: startMatrixServer,
  withdrawn: "done",
  refusal: "auth",
  foreign: [{}, { eventId: "$a" }, { eventId: "a", roomId: "!a:b" }, { eventId: "$a b", roomId: "!a:b" }],
};

export const sent = { eventId: "$first", roomId: "!old:example.org" };

const says = (status: number, body: object) =>
  [`${status}, ${JSON.stringify(body)}`, answerJson(status, body)] as const;

export const replyCase: Cases["replyCase"] = {
  settings,
  receipt: sent,
  final: [
    says(404, { errcode: "M_NOT_FOUND", error: "Event not found." }),
    says(400, { errcode: "M_UNKNOWN", error: "Can't send relation to unknown event" }),
  ],
  failures: [
    [...says(404, { errcode: "M_UNRECOGNIZED" }), "auth"],
    [...says(403, { errcode: "M_FORBIDDEN" }), "auth"],
    [...says(400, { errcode: "M_UNKNOWN", error: "Relations must be in the same room" }), "rejected"],
    [...says(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 2500 }), "rate-limited"],
  ],
};

export const probeCase: Cases["probeCase"] = {
  asks: { method: "GET", path: "/_matrix/client/v3/account/whoami" },
  success: answerJson(200, { user_id: "@bot:example.org", is_guest: false }),
};
