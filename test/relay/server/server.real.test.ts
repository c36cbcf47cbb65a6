import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { close, connectNats } from "../../../src/relay/nats/connect.ts";
import { type Credentials, newUserKey } from "../../../src/relay/nats/credentials.ts";
import { createHome } from "../../world/home.ts";
import { readOutput } from "../../world/json-output.ts";
import { end, OwnServer, until } from "./own-server.ts";

let world: OwnServer;
beforeEach(async () => {
  world = await OwnServer.create();
});
afterEach(() => world.remove());

const readConfig = (file: string) => parse(readFileSync(file, "utf8"));

test("the first ring of another machine works from scratch", { timeout: 120_000 }, async () => {
  expect(await world.up()).toMatchObject({ exitCode: 0, stderr: "" });
  await world.startServer();
  const { text } = await world.invitation("ci-7");
  const stdout = expect.stringMatching(/Sample event:\n {2}home +sent +\d+ ms\n$/);
  expect(await world.beckon(world.edge, ["relay", "join", "-", "--yes"], text)).toMatchObject({ exitCode: 0, stdout });
  world.receive();
  await until(() => world.words().includes("Sample: ci-7 is connected. Its agents will notify you like this."));
  await world.ask("May I?");
  await until(() => world.words().includes("May I?"));
  expect(readConfig(world.edge.paths.config).notifiers.home).toEqual({
    type: "relay",
    servers: [`tls://localhost:${world.port}`],
    creds: "${file:~/relay/host.creds}",
    seal: expect.stringMatching(/^age1/),
  });
  const statusOn = (home: typeof world.desk) => world.beckon(home, ["relay", "status"]);
  const [here, there] = [await statusOn(world.desk), await statusOn(world.edge)];
  expect(here.stdout).toMatch(/✓ Server on this machine: NATS \d[^\n]*none waiting/);
  expect(there.stdout).toMatch(/✓ connected to the server \(NATS \d/);
  await until(async () => (await world.beckon(world.desk, ["relay", "hosts"])).stdout.includes("ci-7 "));
});

test("a repeated setup keeps its keys, and nobody else can read them", async () => {
  await world.up();
  const files = () => readdirSync(world.folder).filter((file) => !/\.(pid|log)$/.test(file));
  const contents = () => files().map((file) => [file, readFileSync(join(world.folder, file), "utf8")]);
  const before = contents();
  const config = readFileSync(world.desk.paths.config, "utf8");
  expect(await world.up()).toMatchObject({ exitCode: 0 });
  expect(contents()).toEqual(before);
  expect(readFileSync(world.desk.paths.config, "utf8")).toBe(config);
  const modes = ["", ...files(), "../alice.creds"].map((file) => statSync(join(world.folder, file)).mode & 0o077);
  expect(modes.every((mode) => mode === 0)).toBe(true);
});

test("another name gives a new certificate of the same authority, which a running server loads", async () => {
  await world.up();
  await world.startServer();
  const ca = readFileSync(join(world.folder, "ca.pem"), "utf8");
  const again = "relay up --name localhost --name relay.example.org".split(" ");
  const { stdout } = await world.beckon(world.desk, again);
  expect(stdout).toContain("The server is running and has reloaded them.");
  expect(readFileSync(join(world.folder, "ca.pem"), "utf8")).toBe(ca);
  const { text, creds } = await world.invitation("ci-7");
  expect(JSON.parse(text).servers).toEqual([`tls://localhost:${world.port}`, `tls://relay.example.org:${world.port}`]);
  await close(await connectNats([world.address], creds));
});

describe("an invitation", () => {
  test("is not created if the server is not running, and leaves nothing behind", async () => {
    await world.up();
    const before = world.usersConf();
    const says =
      /does not answer at tls:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\n {2}Start it with `nats-server -c ~\/relay/;
    const refused = { exitCode: 1, stdout: "", stderr: expect.stringMatching(says) };
    expect(await world.beckon(world.desk, ["relay", "invite", "ci-7"])).toMatchObject(refused);
    expect(world.usersConf()).toBe(before);
  });

  test("for a taken name is refused, and a revoked name is free", async () => {
    await world.up();
    await world.startServer();
    await world.invitation("ci-7");
    const taken = /ci-7 is already invited\n.* relay revoke ci-7/;
    await expect(world.invitation("ci-7")).rejects.toThrow(taken);
    expect((await world.beckon(world.desk, ["relay", "revoke", "ci-7"])).exitCode).toBe(0);
    await world.invitation("ci-7");
  });

  test("may be a private file", async () => {
    await world.up();
    await world.startServer();
    const out = join(world.desk.paths.root, "ci-7.json");
    const { exitCode, stdout } = await world.beckon(world.desk, ["relay", "invite", "ci-7", "--out", out, "--json"]);
    const invitations = [{ host: "ci-7", file: out }];
    expect([exitCode, readOutput("relay invite", stdout)]).toEqual([0, [{ invitations }]]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const before = world.usersConf();
    const failed = await world.beckon(world.desk, ["relay", "invite", "ci-8", "--out", join(out, "file")]);
    const stderr = expect.stringMatching(/cannot be written \(\w+\); the invitation was withdrawn/);
    expect(failed).toMatchObject({ exitCode: 1, stderr });
    expect(world.usersConf()).toBe(before);
  });

  test("for each machine of a fleet is a private file, and the server changes once", async () => {
    await world.up();
    await world.startServer();
    const out = join(world.desk.paths.root, "fleet");
    const fleet = ["relay", "invite", "ci", "--count", "20", "--out", out];
    const reloads = world.countReloads();
    const { exitCode, stdout, stderr } = await world.beckon(world.desk, [...fleet, "--json"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(world.countReloads()).toBe(reloads + 1);
    type Output = { invitations?: { host: string; file: string }[] };
    const [{ invitations = [] } = {}] = readOutput("relay invite", stdout) as Output[];
    expect(invitations).toHaveLength(20);
    expect(invitations[19]).toEqual({ host: "ci-20", file: join(out, "ci-20.json") });
    for (const { host, file } of invitations) {
      expect([host, statSync(file).mode & 0o777]).toEqual([host, 0o600]);
      const { creds } = JSON.parse(readFileSync(file, "utf8"));
      expect([creds.host, creds.people]).toEqual([host, ["alice"]]);
      await close(await connectNats([world.address], creds));
    }
    const before = world.usersConf();
    const again = await world.beckon(world.desk, fleet);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ci-1.json already exists") });
    const elsewhere = await world.beckon(world.desk, [...fleet.slice(0, -1), join(out, "more")]);
    expect(elsewhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("ci-1 is already invited") });
    const other = ["relay", "invite", "web", "--count", "2", "--out", join(out, "ci-1.json", "no-folder")];
    const failed = await world.beckon(world.desk, other);
    const withdrawn = expect.stringMatching(/cannot be written to \(ENOTDIR\); the invitations were withdrawn/);
    expect(failed).toMatchObject({ exitCode: 1, stderr: withdrawn });
    expect(world.usersConf()).toBe(before);
  });

  test("of a user lets another machine fetch that user's events", async () => {
    await world.up();
    await world.startServer();
    const { text } = await world.invitation("ci-7", "--person", "bob");
    await world.beckon(world.edge, ["relay", "join", "-", "--yes"], text);
    const laptop = createHome("beckon-bob");
    onTestFinished(() => laptop.remove());
    const notifiers = { hook: { type: "webhook", url: world.receiver.url, for: "person" } };
    laptop.writeConfig({ notifiers, attention: { wait: "0s" } });
    const { text: own } = await world.invitation("--person", "bob");
    expect(await world.beckon(laptop, ["relay", "join", "-", "--yes"], own)).toMatchObject({ exitCode: 0 });
    const receiving = world.receive(laptop);
    await until(() => world.words().some((words) => words.startsWith("Sample: ci-7 is connected")));
    await end(receiving);
    expect((await world.beckon(laptop, ["relay", "leave", `localhost:${world.port}`])).exitCode).toBe(0);
    expect(readdirSync(laptop.paths.relay)).not.toContain("bob.creds");
  });
});

describe("access ends for:", () => {
  beforeEach(async () => {
    await world.up();
    await world.startServer();
  });

  test("a revoked machine, which loses its connection while the rest keep theirs", async () => {
    const [seven, eight] = [await world.invitation("ci-7"), await world.invitation("ci-8")];
    const connections = await Promise.all([seven, eight].map(({ creds }) => connectNats([world.address], creds)));
    const { stdout } = await world.beckon(world.desk, ["relay", "revoke", "ci-7"]);
    const says = "Revoked access for ci-7 and closed its connections.\nWaiting events from ci-7 are still delivered";
    expect(stdout.slice(0, says.length)).toBe(says);
    await connections[0]?.closed();
    await connections[1]?.flush();
    await expect(connectNats([world.address], seven.creds)).rejects.toMatchObject({ reason: "auth" });
    for (const connection of connections) await close(connection);
    const again = await world.beckon(world.desk, ["relay", "revoke", "ci-8", "--json"]);
    expect(readOutput("relay revoke", again.stdout)).toEqual([{ revoked: ["ci-8, for alice"] }]);
  });

  test("the local user, until the server is set up again", async () => {
    const ownCredentials = () => readConfig(join(world.desk.paths.relay, "alice.creds")) as Credentials;
    const before = ownCredentials();
    await world.beckon(world.desk, ["relay", "revoke", "--person", "alice"]);
    await expect(connectNats([world.address], before)).rejects.toMatchObject({ reason: "auth" });
    await world.up();
    await close(await connectNats([world.address], ownCredentials()));
  });

  test("an expired invitation", async () => {
    const { creds } = await world.invitation("ci-7", "--expires", "1h");
    await close(await connectNats([world.address], creds));
    const file = join(world.folder, "users.json");
    const over = '"expiresAt": "2020-01-01T00:00:00.000Z"';
    writeFileSync(file, readFileSync(file, "utf8").replace(/"expiresAt": "[^"]+"/, over));
    const { stderr } = await world.beckon(world.desk, ["relay", "status"]);
    expect(stderr).toBe("The invitation of ci-7, for alice has expired.\n");
    await expect(connectNats([world.address], creds)).rejects.toMatchObject({ reason: "auth" });
  });

  test("a stranger, and a machine that trusts the wrong server", async () => {
    const { creds } = await world.invitation("ci-7");
    const stranger = { ...creds, seed: newUserKey().seed };
    await expect(connectNats([world.address], stranger)).rejects.toMatchObject({ reason: "auth" });
    const { ca: _, ...without } = creds;
    await expect(connectNats([world.address], without)).rejects.toMatchObject({ reason: "unavailable" });
  });

  test("a revoked machine says so, and rings again after a new invitation", async () => {
    const join = async () =>
      world.beckon(world.edge, ["relay", "join", "-", "--yes"], (await world.invitation("ci-7")).text);
    expect((await join()).exitCode).toBe(0);
    await world.beckon(world.desk, ["relay", "revoke", "ci-7"]);
    const stdout = expect.stringContaining("✗ cannot connect to the server: the server does not accept");
    expect(await world.beckon(world.edge, ["relay", "status"])).toMatchObject({ exitCode: 1, stdout });
    await world.ask("lost");
    await world.edge.until((journal) => journal.some(({ status }) => status === "failed"));
    expect((await join()).exitCode).toBe(0);
  });
});
