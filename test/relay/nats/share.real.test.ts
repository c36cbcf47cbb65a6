import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { Alerts, alertFolder } from "../../../src/attention/alert-files.ts";
import { type Paths, resolvePaths } from "../../../src/files/paths.ts";
import { createClock } from "../../../src/io/clock.ts";
import { connectNats } from "../../../src/relay/nats/connect.ts";
import { personCredentialsSchema } from "../../../src/relay/nats/credentials.ts";
import { bucketStream, seenBucket, sessionsBucket } from "../../../src/relay/nats/names.ts";
import { share } from "../../../src/relay/nats/share.ts";
import { readTeam } from "../../../src/relay/nats/team.ts";
import type { Inbox } from "../../../src/relay/receive.ts";
import { newIdentity } from "../../../src/relay/seal.ts";
import { makeSpool } from "../../../src/spool/put.ts";
import { decodeRecord } from "../../../src/spool/record.ts";
import { concern, makeAlert } from "../../world/alerts.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { freshServer, type NatsServer } from "../nats-server.ts";

let server: NatsServer;
let paths: Paths;
let alerts: Alerts;
beforeEach(async () => {
  server = await freshServer();
  paths = resolvePaths(freshFolder());
  makeSpool(paths.spool);
  alerts = new Alerts(alertFolder(paths), createClock());
});

/** Opens a user's connection that shares waiting sessions until it is closed. */
async function sharing(creds: string, options?: Parameters<typeof share>[3]): Promise<NatsConnection> {
  const credentials = personCredentialsSchema.parse(JSON.parse(creds));
  const connection = await connectNats([server.address], credentials);
  onTestFinished(() => connection.close());
  void share(connection, credentials, { paths, clock: createClock() } as Inbox, options);
  return connection;
}

const asked = concern("a-1", { atMs: Date.now() - 60_000 });
const waiting = makeAlert({ project: "shop", title: "Fix the login, password=hunter2hunter2", concerns: [asked] });
const fetchTeam = (creds: string) => readTeam({ servers: [server.address], creds, durable: "" }, paths, Date.now());
const putAsAdmin = (values: Readonly<Record<string, string>>) =>
  server.asAdmin(async (connection) => {
    const bucket = await new Kvm(connection).open(sessionsBucket);
    for (const [key, value] of Object.entries(values)) await bucket.put(key, value);
  });

test("a local session is shared with its title only, with secrets masked", async () => {
  const creds = await server.person("alice");
  alerts.put(waiting);
  alerts.put(makeAlert({ sessionId: "quiet" }));
  await sharing(creds);
  await expect.poll(() => server.shared().then((kept) => Object.keys(kept).length)).toBe(1);
  const { sessions } = await fetchTeam(creds);
  const masked = { project: "shop", title: "Fix the login, password=[secret]" };
  expect(sessions).toMatchObject([{ person: "alice", kind: "needs-you", ...masked, isOwn: true }]);
  expect(JSON.stringify(await server.shared())).not.toMatch(/hunter2|git push|\/home\/me/);
});

test("a user who does not share has no data there, even old data, and gets what others have seen", async () => {
  const creds = await server.person("alice");
  const id = `r_${"a".repeat(43)}`;
  const host = "ci-7";
  alerts.put(makeAlert({ host, isRelayed: true, concerns: [concern(id, { atMs: Date.now() - 60_000 })] }));
  const first = await sharing(creds);
  await expect.poll(() => server.shared().then(Object.keys)).toHaveLength(1);
  await first.close();
  await sharing(creds, { sessions: false });
  await expect.poll(() => server.shared()).toEqual({});
  await server.asAdmin(async (connection) => {
    const bucket = await new Kvm(connection).open(seenBucket);
    await bucket.put(`team.${id}`, '{"by":"<b>","atMs":1}');
    await bucket.put(`team.${id}`, JSON.stringify({ by: "bob", atMs: 8e15 }));
  });
  await expect.poll(() => readdirSync(join(paths.spool, "new"))).toHaveLength(1);
  const [file = ""] = readdirSync(join(paths.spool, "new"));
  const { header, payload } = decodeRecord(readFileSync(join(paths.spool, "new", file))) ?? {};
  expect(header).toMatchObject({ event: "State", host });
  const { states } = JSON.parse(payload?.toString() ?? "");
  expect(states).toEqual([{ id, state: "resolved", atMs: expect.any(Number), by: "seen by bob" }]);
  expect(states[0].atMs).toBeLessThanOrEqual(Date.now());
});

test("waiting sessions are refreshed before the server forgets them", async () => {
  await server.asAdmin(async (connection) => {
    const manager = await jetstreamManager(connection);
    const ages = { max_age: 2_000_000_000, duplicate_window: 1_000_000_000 };
    await manager.streams.update(bucketStream(sessionsBucket), ages);
  });
  alerts.put(waiting);
  const connection = await sharing(await server.person("alice"), { refreshMs: 500 });
  await expect.poll(() => server.shared().then(Object.keys)).toHaveLength(1);
  const [key = ""] = Object.keys(await server.shared());
  const revision = () =>
    server.asAdmin(async (admin) => (await (await new Kvm(admin).open(sessionsBucket)).get(key))?.revision ?? 0);
  const first = await revision();
  await expect.poll(revision).toBeGreaterThan(first + 5); // ten times within two and a half seconds
  expect(Object.keys(await server.shared())).toEqual([key]);
  await connection.close();
  await expect.poll(() => server.shared()).toEqual({});
});

test("resolved sessions of an earlier process go, and those of the user's other machines stay", async () => {
  const { identity } = await newIdentity();
  const creds = await server.person("alice", identity);
  alerts.put(waiting);
  const first = await sharing(creds);
  await expect.poll(() => server.shared().then(Object.keys)).toHaveLength(1);
  await first.close();
  const key = `team.alice.laptop.${"0".repeat(32)}`;
  const other = { machine: "another", kind: "failed", agent: "claude", project: "api", atMs: 1 };
  await putAsAdmin({ [key]: JSON.stringify(other) });
  alerts.remove(waiting.key);
  await sharing(creds);
  await expect.poll(() => server.shared().then(Object.keys)).toEqual([key]);
});

test("a stranger's bucket entry is shown clean, cut and with its owner, or not at all", async () => {
  const creds = await server.person("alice");
  const session = { machine: "m", kind: "needs-you", agent: "claude", project: "shop", atMs: 0 };
  const buildKey = (person: string, digit: string) => `team.${person}.ci-7.${digit.repeat(32)}`;
  const lies = { person: "alice", host: "desk", isOwn: true, title: "<script>\u202eevil\u0000" };
  const project = `\u001b[31mshop\n${"x".repeat(5_000)}`;
  await putAsAdmin({
    [buildKey("bob", "0")]: JSON.stringify({ ...session, ...lies, project }),
    [buildKey("bob", "1")]: JSON.stringify({ ...session, atMs: 8.64e15 + 1 }),
    [buildKey("bob", "2")]: JSON.stringify({ ...session, atMs: "now" }),
    [buildKey("bob", "3")]: "age-encryption.org/v1\n-> scrypt x 30\n",
    [buildKey("bob", "4")]: "[".repeat(8_000),
    [buildKey("bob", "5")]: '{"stream":"KV_beckon-sessions", "seq":7}',
    [buildKey("bob", "6")]: JSON.stringify({ ...session, kind: "constructor" }),
    "team.bob.ci-7.short": JSON.stringify(session),
    "team.bob.ci-7.x.y.z": JSON.stringify(session),
    "other.bob.ci-7.00000000000000000000000000000000": JSON.stringify(session),
  });
  const { sessions, unreadable } = await fetchTeam(creds);
  expect(sessions).toHaveLength(1);
  expect(sessions[0]).toMatchObject({ person: "bob", host: "ci-7", isOwn: false });
  expect(sessions[0]?.project).toMatch(/^shop x{1,200}$/);
  expect(sessions[0]?.title).toBe("<script>evil");
  expect(unreadable).toBe(6);
  alerts.put(waiting);
  await sharing(creds);
  await expect.poll(() => fetchTeam(creds).then(({ sessions: all }) => all.length)).toBe(2);
});

test("a team of thousands is read whole, in order of urgency", async () => {
  const creds = await server.person("alice");
  const session = { machine: "m", kind: "finished", agent: "claude", project: "shop" };
  await server.asAdmin(async (connection) => {
    const bucket = await new Kvm(connection).open(sessionsBucket);
    const buildKey = (index: number) => `team.p${index % 50}.ci-7.${index.toString(16).padStart(32, "0")}`;
    const keys = Array.from({ length: 4_000 }, (_, index) => buildKey(index));
    const put = (index: number) => bucket.put(buildKey(index), JSON.stringify({ ...session, atMs: 1e12 + index }));
    for (let at = 0; at < keys.length; at += 200)
      await Promise.all(Array.from({ length: 200 }, (_, index) => put(at + index)));
    await bucket.put(keys[3_000] ?? "", JSON.stringify({ ...session, kind: "needs-you", atMs: 2e12 }));
  });
  const { sessions } = await fetchTeam(creds);
  expect(sessions).toHaveLength(4_000);
  const first = sessions.slice(0, 3).map(({ kind, atMs }) => `${kind} ${atMs}`);
  expect(first).toEqual([`needs-you ${2e12}`, `finished ${1e12}`, `finished ${1e12 + 1}`]);
});
