import { join } from "node:path";
import { expect, test } from "vitest";
import { derivePublicKey, newUserKey } from "../../../src/relay/nats/credentials.ts";
import { listNodes, type ServerSettings } from "../../../src/relay/server/server-settings.ts";
import { serverText } from "../../../src/relay/server/server-text.ts";
import { type Invited, isExpired, usersText } from "../../../src/relay/server/users.ts";

const settings: ServerSettings = {
  ...{ beckon: 1, team: "shop", person: "alice", names: ["relay.example.org"] },
  ...{ listen: { host: "0.0.0.0", port: 4222 }, isCluster: false, maxBytes: 1024 ** 3 },
};
const keys = { admin: newUserKey().seed, system: newUserKey().seed, identity: "AGE-SECRET-KEY-1X" };
const folder = "/home/ann/.beckon/relay/server";
const cluster = { ...settings, isCluster: true, names: ["a.example", "b.example", "c.example"] };
const buildTexts = (serverSettings: ServerSettings) =>
  listNodes(serverSettings, folder).map((node) => serverText({ settings: serverSettings, keys }, node));

test("acknowledged events are on disk, and every connection is encrypted", () => {
  for (const text of [...buildTexts(settings), ...buildTexts(cluster)]) {
    expect(text).toContain("\n  sync_interval: always\n");
    expect(text).toMatch(/\ntls \{\n {2}cert_file: /);
  }
});

test("no secret is in the text, only the public keys", () => {
  const [text = ""] = buildTexts(settings);
  expect(text).toContain(derivePublicKey(keys.system));
  for (const secret of Object.values(keys)) expect(text).not.toContain(secret);
});

test("a single server names its files by absolute paths, with any characters", () => {
  const [node] = listNodes(settings, '/home/o"hara \\ sons/server');
  const text = node && serverText({ settings, keys }, node);
  expect(text).toContain('cert_file: "/home/o\\"hara \\\\ sons/server/server.pem"');
  expect(text).not.toContain("cluster {");
});

test("a cluster of NATS servers know each other, and run in any folder", () => {
  const texts = buildTexts(cluster);
  expect(texts).toHaveLength(3);
  expect(texts[0]).toContain('routes: ["tls://b.example:6222", "tls://c.example:6222"]');
  expect(texts[0]).toContain('server_name: "a.example"');
  for (const text of texts) expect(text).not.toContain(folder);
  const folders = listNodes(cluster, folder).map((node) => node.folder);
  expect(folders).toEqual(cluster.names.map((name) => join(folder, name)));
});

test("a certificate covers the names, this machine, and a listening address", () => {
  const listNames = (host: string) =>
    listNodes({ ...settings, listen: { host, port: 4222 } }, folder)[0]?.certificateNames;
  expect(listNames("0.0.0.0")).toEqual(["relay.example.org", "localhost", "127.0.0.1"]);
  expect(listNames("10.0.0.7")).toEqual(["relay.example.org", "10.0.0.7", "localhost", "127.0.0.1"]);
});

const at = { team: "shop", invitedAt: "2026-11-01T00:00:00.000Z" };
const times = { ...at, expiresAt: "2026-12-01T00:00:00.000Z" };
const invited: readonly Invited[] = [
  { role: "machine", host: "ci-7", people: ["alice", "bob"], key: newUserKey().key, ...times },
  { role: "person", person: "bob", key: newUserKey().key, ...at },
];

test("each user has exactly the listed rights", () => {
  const text = usersText(invited, keys.admin);
  const [machine = ""] = text.split("\n").filter((line) => line.includes(invited[0]?.key ?? "?"));
  const granted = [...machine.matchAll(/"([^"]+)"/g)].map(([, subject]) => subject);
  expect(granted).toEqual([
    ...["alice", "bob"].flatMap((person) =>
      ["needs-you", "failed", "finished", "info", "state"].map((word) => `beckon.v1.shop.${person}.ci-7.${word}`),
    ),
    `_INBOX.${invited[0]?.key}.>`,
  ]);
  expect(text).toContain("  # ci-7, for alice and bob\n");
  expect(text).not.toContain(keys.admin);
});

test("an invitation is valid until its time", () => {
  const instants = ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z"];
  expect(instants.map((instant) => invited.map((user) => isExpired(user, Date.parse(instant))))).toEqual([
    [false, false],
    [true, false],
  ]);
});
