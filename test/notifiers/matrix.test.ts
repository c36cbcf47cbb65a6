import { expect, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";
import { matrix } from "../../src/notifiers/matrix.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answerJson } from "../world/hostile-server.ts";
import { networkPorts } from "../world/network-call.ts";
import { sent, settings } from "./cases/matrix.ts";
import { updateAt } from "./contract/describe-notifier.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";

const edited = { receipt: sent, reply: answerJson(200, { event_id: "$edit" }) };

test("a message is edited in its own room by a related event without mentions", async () => {
  const [asked] = await updateAt(matrix, settings, edited);
  expect(asked?.path).toMatch(
    /^\/_matrix\/client\/v3\/rooms\/!old%3Aexample\.org\/send\/m\.room\.message\/%24first-\d+$/,
  );
  expect(JSON.parse(asked?.body ?? "")).toMatchObject({
    body: "* shop needs you",
    "m.mentions": {},
    "m.new_content": { msgtype: "m.text", body: expect.stringMatching(/^shop needs you\n/), "m.mentions": {} },
    "m.relates_to": { rel_type: "m.replace", event_id: "$first" },
  });
});

test("every edit, and its fallback form, is a separate transaction", async () => {
  const clockAt = (nowMs: number) => ({ ports: networkPorts(new FakeClock(nowMs)) });
  const attempts = [clockAt(1), clockAt(2), { ...clockAt(2), isFallback: true }];
  const requests = await Promise.all(attempts.map((more) => updateAt(matrix, settings, { ...edited, ...more })));
  const paths = requests.flat().map(({ path }) => path.split("/").at(-1));
  expect(paths).toEqual(["%24first-1", "%24first-2", "%24first-2-fallback"]);
});

const room = { server: "https://a.example", token: "t", roomId: "!a:b" };

test("every kind is a text, but `info` a notice", () => {
  expect(makeRequest(matrix, room).method).toBe("PUT");
  const payloads = kinds.map((kind) => makePayload(matrix, room, { message: { body: "", kind } }));
  expect(payloads.map(({ body }) => body)).toEqual(["t", "t", "t", "t"]);
  const types = payloads.map(({ msgtype }, index) => [kinds[index], msgtype]);
  const expected = { "needs-you": "m.text", failed: "m.text", finished: "m.text", info: "m.notice" };
  expect(Object.fromEntries(types)).toEqual(expected);
});

test("attempts share the event's transaction id, and the fallback has a different one", () => {
  const message = { id: "e" };
  expect(makeRequest(matrix, room, { message }).url).toMatch(/\/e$/);
  expect(makeRequest(matrix, room, { message, isFallback: true }).url).toMatch(/\/e-fallback$/);
});

test("an alias and an empty, malformed or long id are not room ids", () => {
  const odd = ["#alias:example.org", "!", "! a:b", "!\ud800:b", `!${"x".repeat(255)}`];
  expect(odd.filter((roomId) => matrix.settings.safeParse({ ...room, roomId }).success)).toEqual([]);
});

test("a room id is one path segment", async () => {
  const check = (roomId: string) => {
    const settings = { ...room, server: "https://a.example/base", roomId };
    const { pathname, search, hash } = new URL(makeRequest(matrix, settings, { message: { id: "e" } }).url);
    const [, base, , , , , part = "", ...rest] = pathname.split("/");
    expect([base, decodeURIComponent(part), rest.join("/")]).toEqual(["base", roomId, "send/m.room.message/e"]);
    expect(search + hash).toBe("");
  };
  const rooms = ["!a/../../login:b", "!..", "!a?b#c:d", "!%2e%2e:b", "!🙂:b"];
  expect(await collectFailures(rooms, check)).toEqual([]);
});
