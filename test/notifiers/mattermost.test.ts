import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { createPorts } from "../../src/io/ports.ts";
import { mattermost } from "../../src/notifiers/mattermost.ts";
import { answer, type Behaviour, type Captured, silence, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { canary, type Expected } from "./contract/notifier-case.ts";
import { readMattermost, startMattermostServer } from "./mattermost-server.ts";

const json = { "content-type": "application/json" };
const fault = (status_code: number, id: string) =>
  answer(status_code, json, JSON.stringify({ id, message: `May I run the tests? ${canary}`, status_code }));
const channel = "town4square4town4square4ab";
const post = "p".repeat(26);
const reference = /&(?:#\d+|\w+);/g;

/** Everything but the references, and the title's own bold. */
const bare = (text: string): string => text.replace(/^\*\*(.*)\*\*/, "$1").replace(reference, "x");

const valid = (text: string): void => {
  expect([...text].length).toBeLessThanOrEqual(16_383);
  expect(bare(text)).not.toMatch(/[\\<>&`*_~[\]#|$]|@(?!\u200b)|^( {4}|\t)|^ *([-+=]|\d{1,9}[.)])/m);
  expect(bare(text)).not.toMatch(/:(?!\/\/)|(?<!https?):/);
};
const mentions = [
  "<!channel> <!here> <@U012AB3CD> <https://evil.example|click> @channel @all @here @user @\u200b ~town-square #tag",
  ":wave: | a | b |\n|---|---|\n    code\n\tcode\n- l\n+ l\n1. n\n2) n\na\n===\nb\n--- $x$ &lt;",
  "https://example.org/a_b?c=d&e=%20 https://evil/%zz www.evil.example/%zz javascript://x",
];
const limited: readonly [string, Behaviour, Expected] = [
  "too many, with the seconds until it is better",
  answer(429, { "x-ratelimit-reset": "3" }, "limit exceeded"),
  { reason: "rate-limited", waitMs: 3_000 },
];

describe("through a webhook", () => {
  describeHttpNotifier(mattermost, {
    settings: (origin) => ({ url: `${origin}/hooks/${canary}` }),
    success: answer(200, { "content-type": "text/plain" }, "ok"),
    rejections: [
      ["a webhook that is gone", fault(400, "web.incoming_webhook.invalid.app_error"), { reason: "auth" }],
      ["a text that is refused", fault(400, "web.incoming_webhook.text.app_error"), { reason: "rejected" }],
      ["a channel that is locked", fault(403, "web.incoming_webhook.channel_locked.app_error"), { reason: "auth" }],
      limited,
      ["another answer", answer(200, json, "{}"), { reason: "unavailable" }],
    ],
    read: ({ body }) => readMattermost(JSON.parse(body).text),
    valid: ({ body }) => valid(JSON.parse(body).text),
    mentions,
  });

  test("there is nothing to probe, and nothing can be changed", async () => {
    const settings = mattermost.settings.parse({ url: "https://h.example/hooks/x" });
    expect(mattermost.canProbe?.(settings)).toBe(false);
    const call = localCall(settings, {}); // whose HTTP port refuses
    await mattermost.probe?.(call);
    await mattermost.update?.({ ...call, receipt: { post } });
  });
});

describe("as a bot", () => {
  const settings = (server: string) => ({ server, token: canary, channel });

  describeHttpNotifier(mattermost, {
    settings,
    success: answer(201, json, JSON.stringify({ id: post })),
    rejections: [
      ["a token that is none", fault(401, "api.context.session_expired.app_error"), { reason: "auth", hinted: true }],
      ["a channel of others", fault(403, "api.context.permissions.app_error"), { reason: "auth", hinted: true }],
      ["a text that is too long", fault(400, "model.post.is_valid.message_length.app_error"), { reason: "rejected" }],
      limited,
      ["another answer", answer(200, json, "{}"), { reason: "unavailable" }],
    ],
    read: ({ body }) => readMattermost(JSON.parse(body).message),
    valid({ body, headers, path }) {
      const { channel_id, message } = JSON.parse(body);
      expect([path, headers["authorization"]]).toEqual(["/api/v4/posts", `Bearer ${canary}`]);
      expect(channel_id).toBe(channel);
      valid(message);
    },
    mentions,
  });

  describeChanges(mattermost, { start: startMattermostServer, withdrawn: "done", refusal: "auth" });

  describeProbe(mattermost, {
    settings,
    asks: { method: "GET", path: "/api/v4/users/me" },
    success: answer(200, json, JSON.stringify({ id: post, username: "beckon" })),
  });

  /** Updates a post at a server that answers so, and returns what it was asked. */
  async function update(receipt: Receipt, reply: Behaviour): Promise<readonly Captured[]> {
    const server = await startHostileServer({ "*": reply });
    onTestFinished(() => server.close());
    const call = { ...localCall(mattermost.settings.parse(settings(server.origin)), {}), ports: createPorts() };
    await mattermost.update?.({ ...call, receipt });
    return server.requests;
  }

  test.each([
    [400, "api.post.update_post.permissions_time_limit.app_error"],
    [400, "api.post.update_post.permissions_details.app_error"],
    [400, "api.post.patch_post.can_not_update_post_in_deleted.error"],
    [403, "api.context.permissions.app_error"],
    [404, "app.post.get.app_error"],
    [404, "store.sql_post.get.app_error"],
  ])("a post stays as it is where the server says %i, %s", async (status, id) => {
    await expect(update({ post }, fault(status, id))).resolves.toHaveLength(1);
  });

  test.each([
    [401, "api.context.session_expired.app_error", "auth"],
    [403, "api.context.mfa_required.app_error", "auth"],
    [404, "api.context.404.app_error", "auth"],
    [400, "model.post.is_valid.message_length.app_error", "rejected"],
    [500, "app.post.update.app_error", "unavailable"],
  ])("%i, %s to a change is a failure", async (status, id, reason) => {
    await expect(update({ post }, fault(status, id))).rejects.toMatchObject({ reason });
  });

  test.each([{}, { post: "x/../../users/me" }, { post: 5 }, { id: post }])(
    "a message with a receipt of another form, %j, is let alone",
    async (receipt) => {
      expect(await update(receipt as Receipt, silence)).toEqual([]);
    },
  );

  test("once the time for edits is over, a post stays as it is, and that is no failure", async () => {
    const server = await startMattermostServer();
    onTestFinished(() => server.close());
    const call = { ...localCall(mattermost.settings.parse(server.settings), {}), ports: createPorts() };
    const receipt = await mattermost.send(call);
    server.endEdits();
    const message = { ...call.message, body: "later" };
    await mattermost.withdraw?.({ ...call, message, receipt: receipt ?? expect.fail("no receipt") });
    expect(await server.standing()).toMatchObject([{ body: call.message.body }]);
  });
});

const textOf = (words: string): string => {
  const message = { title: "t", body: words, kind: "info" } as Message;
  const { body = "" } = mattermost.request({ settings: { url: "https://h/x" }, message, isFallback: true, nowMs: 0 });
  return (JSON.parse(body).text as string).slice(2);
};

test.each([
  ["ordinary words", 'May I run (it)? It\'s done - 50% - see a.b, "x"!'],
  ["an address", "See https://example.org/pull/12?page=1, or (https://a.de)."],
])("%s stay unchanged", (_, words) => {
  expect(textOf(words)).toBe(words);
});

test.each([
  ["an address that would vanish", "https://e.example/%zz", "https&#58;//e.example/%zz"],
  ["an address without its beginning", "www.e.de e.de/%zz", "www&#46;e.de e.de&#47;%zz"],
  ["an address that is markup", "<https://e.example|x>", "&#60;https&#58;//e.example&#124;x&#62;"],
  ["a mention", "@all", "@\u200ball"],
])("%s has no effect", (_, words, text) => {
  expect(textOf(words)).toBe(text);
});

test.each(kinds)("%s has its priority, except in the fallback form", (kind) => {
  const message = { title: "t", body: "b", kind } as Message;
  const sent = (plain: boolean) =>
    JSON.parse(
      mattermost.request({ settings: { url: "https://h/x" }, message, isFallback: plain, nowMs: 0 }).body ?? "",
    ).priority;
  const urgent = kind === "needs-you" || kind === "failed";
  expect(sent(false)).toEqual(urgent ? { priority: "important" } : undefined);
  expect(sent(true)).toBeUndefined();
});
