import { AckPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { connectNats } from "../../../src/relay/nats/connect.ts";
import type { Credentials } from "../../../src/relay/nats/credentials.ts";
import { bucketStream, seenBucket, sessionsBucket, streamName } from "../../../src/relay/nats/names.ts";
import { readTeam } from "../../../src/relay/nats/team.ts";
import { freshServer, type NatsServer } from "../nats-server.ts";

let server: NatsServer;
let alice: NatsConnection;
let machine: NatsConnection;
let aliceCreds: string;
beforeEach(async () => {
  server = await freshServer();
  machine = await connectedAs(await server.machine("ci-7", ["alice", "bob"]));
  aliceCreds = await server.person("alice");
  alice = await connectedAs(aliceCreds);
  await server.asAdmin(async (connection) => {
    await (await new Kvm(connection).open(sessionsBucket)).put(bobs, "of bob");
    await (await new Kvm(connection).open(seenBucket)).put("team.r_1", "of bob");
  });
});

async function connectedAs(creds: string): Promise<NatsConnection> {
  const connection = await connectNats([server.address], JSON.parse(creds) as Credentials);
  onTestFinished(() => connection.close());
  return connection;
}

const key = "0".repeat(32);
const bobs = `team.bob.laptop.${key}`;
const buildSubject = (bucket: string, name: string) => `$KV.${bucket}.${name}`;
const streams = [streamName, bucketStream(sessionsBucket), bucketStream(seenBucket)];

/** Returns all messages that the server keeps, by subject. */
function kept(): Promise<Record<string, string>> {
  return server.asAdmin(async (connection) => {
    const manager = await jetstreamManager(connection);
    const found: Record<string, string> = {};
    for (const stream of streams) {
      const { first_seq, last_seq } = (await manager.streams.info(stream)).state;
      for (let seq = first_seq; seq <= last_seq; seq += 1) {
        const message = await manager.streams.getMessage(stream, { seq }).catch(() => null);
        if (message) found[message.subject] = message.string();
      }
    }
    return found;
  });
}

const ofBob = { [buildSubject(sessionsBucket, bobs)]: "of bob", [buildSubject(seenBucket, "team.r_1")]: "of bob" };

/** Sends without waiting for an answer, as an attacker does, and waits until the server has read it. */
async function send(connection: NatsConnection, subject: string, text: string, options = {}): Promise<void> {
  connection.publish(subject, text, options);
  await connection.flush();
}

test("a user may not write others' sessions, write to another team, delete or roll up data", async () => {
  for (const name of [bobs, `other.alice.laptop.${key}`, `other.bob.laptop.${key}`, "team.bob", "team"])
    await send(alice, buildSubject(sessionsBucket, name), "of alice");
  await send(alice, buildSubject(seenBucket, "other.r_1"), "of alice");
  await send(alice, buildSubject(sessionsBucket, bobs), "", { headers: buildHeaders("KV-Operation", "DEL") });
  const rollUp = { headers: buildHeaders("Nats-Rollup", "all") };
  await send(alice, buildSubject(sessionsBucket, `team.alice.laptop.${key}`), "x", rollUp);
  await send(alice, buildSubject(seenBucket, "team.r_2"), "x", rollUp);
  expect(await kept()).toEqual(ofBob);
});

test("a thousand users are handled", async () => {
  const { team } = JSON.parse(aliceCreds);
  const stream = bucketStream(seenBucket);
  await server.asAdmin(async (connection) => {
    const { consumers, streams: known } = await jetstreamManager(connection);
    const reader = { ack_policy: AckPolicy.None, filter_subject: `$KV.${seenBucket}.${team}.>`, mem_storage: true };
    for (let index = 0; index < 1_001; index += 1) await consumers.add(stream, { ...reader, name: `reader-${index}` });
    for (const name of streams) expect((await known.info(name)).config.max_consumers).toBeGreaterThan(1_001);
  });
});

test("the first machine to report an event as seen does so for all", async () => {
  const bucket = await new Kvm(alice).open(seenBucket);
  await expect(bucket.put("team.r_1", "of alice", { previousSeq: 0 })).rejects.toThrow(/wrong last sequence/);
  await bucket.put("team.r_2", "of alice", { previousSeq: 0 });
  expect(await kept()).toEqual({ ...ofBob, [buildSubject(seenBucket, "team.r_2")]: "of alice" });
});

test("a user reads the own team alone, and gets no value sent to a subject of another", async () => {
  const stream = bucketStream(sessionsBucket);
  await jetstream(alice).publish(buildSubject(sessionsBucket, `team.alice.laptop.${key}`), "forged");
  const before = await kept();
  const create = (filter: string, config: object) => {
    const text = JSON.stringify({ stream_name: stream, config: { name: "c", ack_policy: "none", ...config } });
    return alice.request(`$JS.API.CONSUMER.CREATE.${stream}.c${filter}`, text, { timeout: 1_000 });
  };
  for (const filter of ["", ".>", `.$KV.${sessionsBucket}.>`, `.$KV.${sessionsBucket}.other.>`])
    await expect(create(filter, { filter_subject: filter.slice(1) })).rejects.toThrow();
  const mine = `.$KV.${sessionsBucket}.team.>`;
  for (const config of [{ filter_subject: ">" }, {}, { filter_subjects: [mine.slice(1), ">"] }])
    expect((await create(mine, config)).json()).toHaveProperty("error");
  for (const to of [`beckon.v1.team.bob.ci-7.failed`, buildSubject(sessionsBucket, bobs)]) {
    const toOthers = { filter_subject: mine.slice(1), deliver_policy: "all", deliver_subject: to };
    await create(mine, toOthers).catch(() => {});
    for (const api of ["DIRECT.GET", "STREAM.MSG.GET"]) {
      const asked = { last_by_subj: buildSubject(sessionsBucket, `team.alice.laptop.${key}`) };
      await send(alice, `$JS.API.${api}.${stream}`, JSON.stringify(asked), { reply: to });
      await send(alice, `$JS.API.${api}.${stream}.${asked.last_by_subj}`, "", { reply: to });
    }
  }
  await alice.flush();
  expect(await kept()).toEqual(before);
});

test("a machine neither reads a bucket nor writes data that anybody would read", async () => {
  for (const bucket of [sessionsBucket, seenBucket]) {
    await send(machine, buildSubject(bucket, bobs), "of ci-7");
    await send(machine, buildSubject(bucket, "team.r_2"), "of ci-7");
    const kv = await new Kvm(machine).open(bucket);
    await expect(kv.watch()).rejects.toThrow();
    await expect(kv.get(bobs)).rejects.toThrow();
  }
  expect(await kept()).toEqual(ofBob);
  // The server's own receipt may be sent anywhere, as it reveals nothing.
  await send(machine, "beckon.v1.team.alice.ci-7.info", "{}", { reply: buildSubject(sessionsBucket, bobs) });
  await expect.poll(kept).toMatchObject({ [buildSubject(sessionsBucket, bobs)]: expect.stringContaining('"stream"') });
  const from = { servers: [server.address], creds: aliceCreds, durable: "" };
  expect(await readTeam(from, { relay: server.folder }, Date.now())).toEqual({ sessions: [], unreadable: 1 });
});

function buildHeaders(name: string, value: string) {
  const found = headers();
  found.set(name, value);
  return found;
}
