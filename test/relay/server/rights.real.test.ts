import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, connectNats } from "../../../src/relay/nats/connect.ts";
import type { Credentials } from "../../../src/relay/nats/credentials.ts";
import { buildSubject, streamName, type subjectWords } from "../../../src/relay/nats/names.ts";
import { OwnServer } from "./own-server.ts";

/** Server as `relay up` makes it, on which a thief's powers with the credentials of a machine or user are tried. */
let world: OwnServer;
let machine: Credentials;
let other: Credentials;
let person: Credentials;
beforeAll(async () => {
  world = await OwnServer.create();
  await world.up();
  await world.startServer();
  machine = (await world.invitation("ci-7")).creds;
  other = (await world.invitation("ci-8")).creds;
  person = (await world.invitation("--person", "bob")).creds;
}, 60_000);
afterAll(() => world.remove());

const to = (person: string, host: string, word: (typeof subjectWords)[number] = "info", team = "team") =>
  buildSubject({ team, person, host }, word);

/** Uses a connection with these credentials. */
async function as<T>(credentials: Credentials, use: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connectNats([world.address], credentials);
  try {
    return await use(connection);
  } finally {
    await close(connection);
  }
}

/** Counts the events in the stream. */
const held = async () => (await world.stream()).state.messages;

/** Sends a JetStream API request, whose answer would show that it is allowed. */
const timeout = 5_000;
const ask = (subject: string, body?: string) => (connection: NatsConnection) =>
  connection.request(subject, body, { timeout });
const publish = (subject: string) => (connection: NatsConnection) =>
  jetstream(connection).publish(subject, "{}", { timeout });

const asReceiver = '{"batch":1,"group":"receiver"}';

describe("a stolen machine", () => {
  test.each<[string, (connection: NatsConnection) => Promise<unknown>]>([
    ["speak for another machine", publish(to("alice", "ci-8"))],
    ["notify a user outside its invitation", publish(to("bob", "ci-7"))],
    ["speak to another team", publish(to("alice", "ci-7", "info", "others"))],
    ["make its own subjects", publish(`${to("alice", "ci-7")}.more`)],
    ["use another subject token", publish("beckon.v1.team.alice.ci-7.more")],
    ["ask about the stream", ask(`$JS.API.STREAM.INFO.${streamName}`)],
    ["read an event", ask(`$JS.API.STREAM.MSG.GET.${streamName}`, '{"seq":1}')],
    ["read an event directly", ask(`$JS.API.DIRECT.GET.${streamName}`, '{"seq":1}')],
    ["empty the stream", ask(`$JS.API.STREAM.PURGE.${streamName}`)],
    ["delete the stream", ask(`$JS.API.STREAM.DELETE.${streamName}`)],
    ["make a stream", ask("$JS.API.STREAM.CREATE.MINE", '{"name":"MINE","subjects":["mine"]}')],
    ["fetch waiting events", ask(`$JS.API.CONSUMER.MSG.NEXT.${streamName}.team_alice`, asReceiver)],
    ["acknowledge waiting events", publish(`$JS.ACK.${streamName}.team_alice.1.1.1.1.1`)],
    ["make a consumer", ask(`$JS.API.CONSUMER.CREATE.${streamName}.mine`, "{}")],
    ["write false data to the board", publish("$KV.beckon-sessions.team.alice.ci-7.x")],
    ["reload the server", ask("$SYS.REQ.SERVER.PING")],
  ])("a stolen user's machine cannot %s", async (_, act) => {
    const before = await held();
    await expect(as(machine, act)).rejects.toThrow(/^Permissions Violation/i);
    expect(await held()).toBe(before);
  });

  test.each(["beckon.v1.>", ">", "_INBOX.>", "$JS.>", "$KV.>"])("cannot listen to %s", async (subject) => {
    const listening = as(machine, async (connection) => {
      for await (const _ of connection.subscribe(subject)) break;
    });
    await expect(listening).rejects.toThrow(/^Permissions Violation/i);
  });

  test("can send within its invitation, and at most 200 of a kind may wait", async () => {
    await as(machine, async (connection) => {
      for (let count = 0; count < 200; count += 1) await publish(to("alice", "ci-7", "finished"))(connection);
      const oneMore = publish(to("alice", "ci-7", "finished"))(connection);
      await expect(oneMore).rejects.toThrow(/maximum messages per subject/);
      await publish(to("alice", "ci-7", "needs-you"))(connection);
    });
    await as(other, publish(to("alice", "ci-8", "finished")));
  });

  test("cannot send more than an event's size", async () => {
    const large = (bytes: number) =>
      as(machine, (connection) => jetstream(connection).publish(to("alice", "ci-7"), Buffer.alloc(bytes)));
    await expect(large(200 * 1024)).rejects.toThrow(/max_payload/i);
    await expect(large(100 * 1024)).rejects.toThrow(/message size exceeds maximum/);
  });

  test("can suppress another's event only by an id that it cannot know", async () => {
    const send = (id: string, host: string) => (connection: NatsConnection) =>
      jetstream(connection).publish(to("alice", host, "needs-you"), "{}", { msgID: id });
    const known = "r_of-ci-8";
    await as(machine, send(known, "ci-7"));
    // The server deduplicates ids from any sender, so an event's id is a keyed hash that nobody else can make.
    expect(await as(other, send(known, "ci-8"))).toMatchObject({ duplicate: true });
    expect(await as(other, send("r_another", "ci-8"))).toMatchObject({ duplicate: false });
  });
});

test.each<[string, (connection: NatsConnection) => Promise<unknown>]>([
  ["fetch events waiting for others", ask(`$JS.API.CONSUMER.MSG.NEXT.${streamName}.team_alice`, '{"batch":1}')],
  ["send events", publish(to("alice", "ci-7"))],
  ["empty the stream", ask(`$JS.API.STREAM.PURGE.${streamName}`)],
  ["delete its own consumer", ask(`$JS.API.CONSUMER.DELETE.${streamName}.team_bob`)],
])("a stolen user's machine cannot %s", async (_, act) => {
  await expect(as(person, act)).rejects.toThrow(/^Permissions Violation/i);
});
