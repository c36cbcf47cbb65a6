import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Rejection } from "../../../src/core/http-port.ts";
import type { Message } from "../../../src/core/message.ts";
import type { Notifier } from "../../../src/core/notifier.ts";
import { change } from "../../../src/follow-up/withdraw.ts";
import { command } from "../../../src/notifiers/command.ts";
import { module } from "../../../src/notifiers/module.ts";
import { breakBehind, textWithKeyword } from "../../../src/notifiers/shared/markup.ts";
import { classifyByCode, formatCode } from "../../../src/notifiers/shared/reply-rules.ts";
import { isPrivateAddress, serverAddress } from "../../../src/notifiers/shared/settings.ts";
import { webhookBody, webhookBodySchema } from "../../../src/notifiers/shared/webhook-body-schema.ts";
import { sign, webhook } from "../../../src/notifiers/webhook.ts";
import { attempt } from "../../../src/pipeline/attempt.ts";
import { makeConfig } from "../../world/delivery-world.ts";
import { FakeClock } from "../../world/fake-clock.ts";
import { freshHome } from "../../world/fresh-home.ts";
import { localPorts } from "../../world/local-ports.ts";
import { secret } from "../cases/webhook.ts";
import { configuredFor } from "../contract/deliver-to.ts";
import {
  type FollowingProgram,
  followingCommand,
  followingModule,
  followingServer,
  readLogLines,
  readNotes,
} from "../contract/following-programs.ts";
import { event } from "../contract/notifier-case.ts";

test("every match is followed by a zero-width space so that the text can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("@", "<", "@\u200b", "<at", "@@"), (rest, mark) => {
      const text = mark + rest + mark;
      const broken = breakBehind(text, /[@<]/g);
      expect(broken).not.toMatch(/[@<](?!\u200b)/);
      expect(broken.replace(/([@<])\u200b/g, "$1")).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["no keyword", undefined, "title", "body", "title\nbody"],
  ["no body", undefined, "title", "", "title"],
  ["a missing keyword", "beckon", "title", "body", "beckon: title\nbody"],
  ["a keyword in the title", "tit", "title", "body", "title\nbody"],
  ["a keyword in the body", "bod", "title", "body", "title\nbody"],
] as const)("%s", (_, keyword, title, body, text) => {
  expect(textWithKeyword({ title, body }, keyword)).toBe(text);
});

const busy: Rejection = { reason: "rate-limited", message: "too fast" };
const classifyReply = classifyByCode({
  service: "Acme",
  field: "errcode",
  meanings: [[[7], busy]],
  hint: "Look it up.",
});

test.each<[string, number, string, Partial<Rejection> | undefined]>([
  ["success", 200, '{"errcode":0}', undefined],
  ["a known code", 200, '{"errcode":7}', { reason: "rate-limited", message: "answered with code 7 (too fast)" }],
  ["a known code with an error status", 400, '{"errcode":7}', { reason: "rate-limited" }],
  ["an unknown code", 200, '{"errcode":8,"errmsg":"words"}', { reason: "rejected", message: "answered with code 8" }],
  ["an unknown code with an error status", 500, '{"errcode":8}', undefined],
  ["a success without a code", 200, "{}", { reason: "unavailable" }],
  ["a code that is not a number", 200, '{"errcode":"0"}', { reason: "unavailable" }],
  ["a page", 200, "<html>", { reason: "unavailable" }],
  ["a page with an error status", 502, "<html>", undefined],
  ["success with an error status", 500, '{"errcode":0}', undefined],
])("a reply with a service-specific code: %s", (_, status, body, expected) => {
  const rejection = classifyReply({ status, headers: {}, body });
  if (expected) expect(rejection).toMatchObject(expected);
  else expect(rejection).toBeUndefined();
});

test.each([
  [19021, "19021"],
  ["M_FORBIDDEN", "M_FORBIDDEN"],
  ["error-too-many-requests", "error-too-many-requests"],
  ["May I run the tests?", "none"],
  [Number.NaN, "none"],
  [undefined, "none"],
])("the code %j is shown as %s", (value, shown) => {
  expect(formatCode(value)).toBe(shown);
});

test("a private address is recognized by name or number, in any notation", () => {
  const names = "http://localhost:2586 http://raspberry http://raspberry.local https://ntfy.lan:8443/in";
  const numbers = "http://127.0.0.1 http://10.1.2.3 http://172.16.0.1 http://172.31.255.255 http://192.168.1.5:80";
  const others = "http://ntfy.home.arpa http://169.254.1.1 http://[::1]:80 http://[fd00::1] http://[fe80::1]";
  const odd = "http://0x7f.1 http://[::ffff:10.1.2.3]"; // the first is 127.0.0.1
  const inside = `${names} ${numbers} ${others} ${odd}`.split(" ");
  expect(inside.filter((address) => !isPrivateAddress(address))).toEqual([]);
  const open = "https://ntfy.sh https://ntfy.sh. https://ntfy.example.com https://local.example.com https://8.8.8.8";
  const near = "http://172.32.0.1 http://192.169.1.1 https://[2606:4700:4700::1111] http://[::ffff:8.8.8.8]";
  const outside = `${open} ${near} https://134744072 https://[fd::1]`.split(" "); // the last are 8.8.8.8 and 00fd::1
  expect(outside.filter(isPrivateAddress)).toEqual([]);
});

test("a server address has no trailing slash, login, query or anchor", () => {
  const addresses = {
    "https://push.example.org": "https://push.example.org",
    "http://10.0.0.1:8080//": "http://10.0.0.1:8080",
    "https://example.org/gotify/": "https://example.org/gotify",
  };
  const read = Object.keys(addresses).map((address) => [address, serverAddress.parse(address)]);
  expect(Object.fromEntries(read)).toEqual(addresses);
  const bad = ["", "push.example.org", "ftp://a.example", "https://me:secret@a.example"];
  const more = ["https://a.example/?x", "https://a.example/#x"];
  expect([...bad, ...more].filter((address) => serverAddress.safeParse(address).success)).toEqual([]);
});

const programs: readonly (readonly [Notifier, () => Promise<FollowingProgram>])[] = [
  [command, followingCommand],
  [module, followingModule],
  [webhook, followingServer],
];

test("a worker notifies a program that the user has answered", async () => {
  const home = freshHome({});
  const log = join(home.paths.root, "log");
  const script = `printf '%s %s\\n' "$BECKON_ID" "$BECKON_STATE" >> "$0"`;
  const notifiers = { mine: { type: "command", run: ["/bin/sh", "-c", script, log], states: true } };
  home.writeConfig({ notifiers, attention: { wait: "0s" } });
  const fire = (name: string, more = {}) =>
    home.launch([name, "--agent", "claude"], JSON.stringify({ session_id: "s", cwd: "/code/shop", ...more }));
  await fire("Notification", { message: "May I?", notification_type: "permission_prompt" });
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  await fire("Prompt", { prompt: "Yes." });
  const journal = await home.until((lines) => lines.some(({ status }) => status === "withdrawn"));
  const id = journal.find(({ status }) => status === "sent")?.id;
  expect(readLogLines(log)).toEqual([`${id} `, `${id} resolved`]);
});

describe.each(programs)("the state of a message of $name", (notifier, start) => {
  let program: FollowingProgram;
  beforeEach(async () => {
    program = await start();
  });

  const world = async () => ({
    config: await makeConfig({}),
    ports: { ...localPorts(), clock: new FakeClock() },
    keepSecret() {},
  });
  const collectNotes = async (settings: object) => {
    const context = await world();
    const configured = await configuredFor(notifier, { ...program.settings, ...settings });
    const outgoing = { event, facts: {}, configured };
    const { receipt } = await attempt(outgoing, context);
    // The message has another event meanwhile, but keeps its id.
    const later = {
      ...outgoing,
      event: { ...event, id: "other", message: "Run it?" },
      receipt: receipt ?? { id: event.id },
    };
    expect(await change("update", later, context)).toEqual({});
    expect(await change("withdraw", { ...later, isSuperseded: true }, context)).toEqual({});
    expect(await change("withdraw", later, context)).toEqual({});
    return { receipt, all: readNotes(program) };
  };

  test("is sent under the message id", async () => {
    const { receipt, all } = await collectNotes({ states: true });
    expect(receipt).toEqual({ id: event.id });
    expect(all.map(({ data }) => data.id)).toEqual(Array(4).fill(event.id));
    expect(all.map(({ state, data }) => state ?? data.state)).toEqual([undefined, "updated", "moved", "resolved"]);
    expect(all[1]?.data.body).toBe("Run it?");
    if (notifier === module) return;
    expect(all.map(({ type }) => type)).toEqual(["agent.notification", ...Array(3).fill("agent.alert")]);
    for (const body of all) expect(webhookBodySchema.parse(body)).toEqual(body);
  });

  test("is sent only if requested", async () => {
    const { receipt, all } = await collectNotes({});
    expect(receipt).toBeUndefined();
    expect(all).toHaveLength(1);
  });
});

const message: Message = {
  id: "01J",
  at: "2026-11-01T00:00:00.000Z",
  event: "Notification",
  agent: "droid",
  kind: "needs-you",
  project: "shop",
  title: "shop needs you",
  body: "Droid wants to run 1 tool",
  session: {},
};

test("a message becomes type, timestamp and data, without absent facts", () => {
  expect(JSON.parse(JSON.stringify(webhookBody(message)))).toEqual({
    type: "agent.notification",
    timestamp: "2026-11-01T00:00:00.000Z",
    data: {
      id: "01J",
      event: "Notification",
      agent: "droid",
      kind: "needs-you",
      project: "shop",
      title: "shop needs you",
      body: "Droid wants to run 1 tool",
      session: {},
    },
  });
});

test("every fact of a message is in its data", () => {
  const facts = {
    sessionId: "s-1",
    cwd: "/code/shop",
    message: "m",
    reason: "other",
    session: { title: "t", turnMs: 5 },
  };
  expect(webhookBody({ ...message, ...facts }).data).toMatchObject(facts);
});

test.each([
  ["Stop", "agent.stop"],
  ["SubagentStop", "agent.subagent-stop"],
  ["SessionEnd", "agent.session-end"],
])("%s is of type %s", (event, type) => {
  expect(webhookBody({ ...message, event }).type).toBe(type);
});

test("a webhook's signature follows the Standard Webhooks rules", () => {
  const body = '{"type":"agent.finished","timestamp":"2026-11-01T00:00:00Z","data":{"project":"demo"}}';
  expect(sign(secret, "msg_demo1", "1700000000", body)).toBe("v1,PZv1KM2FZLZPM42uDB5OJ3tmWNnN7bXaVwNjIH7hNTg=");
});
