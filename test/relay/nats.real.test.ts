import { jetstream } from "@nats-io/jetstream";
import { beforeEach, expect, test } from "vitest";
import { buildSubject } from "../../src/relay/nats/names.ts";
import { newIdentity } from "../../src/relay/seal.ts";
import { freshHomes, numbers, untilNotified, useHomes } from "../world/two-homes.ts";
import { freshServer, type NatsServer } from "./nats-server.ts";

let server: NatsServer;
const homes = useHomes();
beforeEach(async () => {
  server = await freshServer();
});

test("events sent without a receiver wait sealed at the server, and arrive once", async () => {
  const { identity, recipient } = await newIdentity();
  homes.configureEdge(await server.edge("ci-7", ["alice"], recipient));
  homes.configureDesk([await server.source("alice", identity)]);
  for (const words of numbers(3)) await homes.ask(words);
  await homes.until(async () => (await server.waiting()) === 3);
  expect(await server.texts()).not.toMatch(/request|shop/);
  homes.receive();
  await untilNotified(homes, numbers(3));
});

test("an event travels over a server with the machine's name, and an answer there ends the request here", async () => {
  homes.configureEdge(await server.edge("ci-7", ["alice"]));
  homes.configureDesk([await server.source("alice")]);
  homes.receive();
  await homes.fire("Notification", { notification_type: "permission_prompt", message: "May I?" });
  await untilNotified(homes, ["May I?"]);
  expect(homes.notifications()).toMatchObject([{ title: "shop@ci-7 · Claude Code needs you", message: "May I?" }]);
  expect(await server.waiting()).toBe(0);
  await homes.fire("UserPromptSubmit", { prompt: "yes" });
  await homes.until(() => homes.deskJournal().some(({ status }) => status === "resolved"));
  expect(homes.deskJournal().at(-1)).toMatchObject({ status: "resolved", host: "ci-7", resolvedBy: "prompt" });
});

test("an event for two users reaches both, and is sent once per machine even with SSH as well", async () => {
  homes.configureEdge(await server.edge("devbox", ["alice", "bob"]), { other: { type: "relay", via: "stdio" } });
  homes.configureDesk([homes.pipes("devbox"), await server.source("alice")]);
  homes.receive();
  for (const words of numbers(5)) await homes.ask(words);
  await untilNotified(homes, numbers(5));
  await homes.until(async () => (await server.waiting()) === 5); // bob's
  homes.configureDesk([await server.source("bob")]);
  await homes.until(async () => (await server.waiting()) === 0);
  await untilNotified(homes, numbers(5)); // this desk knows them already, whoever their recipient was
});

test("two receivers of one user: when the active one dies, the other takes over", { timeout: 90_000 }, async () => {
  homes.configureEdge(await server.edge("ci-7", ["alice"]));
  const source = await server.source("alice");
  homes.configureDesk([source]);
  const second = freshHomes();
  second.configureDesk([source]);
  const first = homes.receive();
  await homes.ask("request 0");
  await untilNotified(homes, ["request 0"]);
  second.receive();
  await homes.ask("request 1");
  await homes.until(() => homes.words().length + second.words().length === 2);
  await homes.end(first, "SIGKILL");
  await homes.ask("request 2");
  await homes.until(() => second.words().includes("request 2"), 60_000);
  expect([...homes.words(), ...second.words()].toSorted()).toEqual(numbers(3));
});

test("a machine that floods a server with junk leaves eleven lines and blocks no other machine", async () => {
  homes.configureEdge(await server.edge("ci-7", ["alice"]));
  homes.configureDesk([await server.source("alice")]);
  await server.asAdmin(async (connection) => {
    const stream = jetstream(connection);
    const subject = buildSubject({ team: "team", person: "alice", host: "evil" }, "needs-you");
    for (let number = 0; number < 150; number += 1)
      await stream.publish(subject, `junk ${number} ${"x".repeat(60_000)}`);
  });
  await homes.ask("May I?");
  homes.receive();
  await untilNotified(homes, ["May I?"]);
  await homes.until(async () => (await server.waiting()) === 0);
  const rejected = homes.deskJournal().filter(({ status }) => status === "rejected");
  expect([rejected.length, new Set(rejected.map(({ host }) => host))]).toEqual([11, new Set(["evil"])]);
  expect(homes.desk.spooled().filter((file) => file.startsWith("dead/")).length).toBe(10);
});
