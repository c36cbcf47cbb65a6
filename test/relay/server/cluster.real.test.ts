import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshFolder } from "../../world/fresh-folder.ts";
import { run } from "../../world/home.ts";
import { freePort, listening, serverProgram } from "../../world/servers.ts";
import { end, OwnServer, until } from "./own-server.ts";

const names = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] as const;
let world: OwnServer;
let elsewhere: string;
let port: number;
const servers = new Map<string, ChildProcess>();
beforeEach(async () => {
  world = await OwnServer.create();
  elsewhere = freshFolder();
  port = await freePort();
});
afterEach(async () => {
  for (const server of servers.values()) await end(server);
  servers.clear();
  await world.remove();
});

const nodeFolder = (name: string) => join(elsewhere, name);

/**
 * Copies a server's files as `scp -r` does. Here the three servers share a machine, so each listens on a separate
 * address.
 */
function bring(name: string): void {
  cpSync(join(world.folder, name), nodeFolder(name), { recursive: true });
  const file = join(nodeFolder(name), "nats-server.conf");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("0.0.0.0:", `${name}:`));
}

function start(name: string): void {
  const options = { cwd: nodeFolder(name), stdio: "ignore" } as const;
  servers.set(name, spawn(serverProgram("nats-server"), ["-c", "nats-server.conf"], options));
}

test("three servers keep each event, and one of them may die", { timeout: 180_000 }, async () => {
  const up = ["relay", "up", "--listen", `0.0.0.0:${port}`, "--cluster", names.join(","), "--person", "alice"];
  const { exitCode, stdout } = await world.beckon(world.desk, up);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("/relay/server/127.0.0.2 127.0.0.2:beckon-nats\n")]);
  for (const name of names) {
    bring(name);
    const check = ["-t", "-c", "nats-server.conf"];
    const checked = await run(serverProgram("nats-server"), check, "", { cwd: nodeFolder(name) });
    expect(checked).toMatchObject({ exitCode: 0 });
    start(name);
  }
  for (const name of names) await listening(port, name);
  // It waits until somebody has copied the new users to the servers.
  const inviting = world.beckon(world.desk, ["relay", "invite", "ci-7"]);
  const isWritten = () => readFileSync(join(world.folder, names[0], "users.conf"), "utf8").includes("ci-7");
  await until(isWritten, 60_000);
  for (const name of names) cpSync(join(world.folder, name, "users.conf"), join(nodeFolder(name), "users.conf"));
  const invited = await inviting;
  const stderr = expect.stringContaining("127.0.0.3/users.conf 127.0.0.3:beckon-nats/");
  expect(invited).toMatchObject({ exitCode: 0, stderr });
  expect(JSON.parse(invited.stdout).servers).toEqual(names.map((name) => `tls://${name}:${port}`));
  expect((await world.beckon(world.edge, ["relay", "join", "-", "--yes"], invited.stdout)).exitCode).toBe(0);
  world.receive();
  await until(() => world.words().length === 1);
  expect((await world.stream()).config.num_replicas).toBe(3);
  const [first] = servers.values();
  if (first) await end(first);
  await world.ask("one of three is dead");
  await until(() => world.words().includes("one of three is dead"), 90_000);
  expect(names.map((name) => existsSync(join(nodeFolder(name), "jetstream")))).toEqual([true, true, true]);
});
