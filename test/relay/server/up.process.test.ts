import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { collectFailures } from "../../world/collect-failures.ts";
import { run } from "../../world/home.ts";
import { readOutput } from "../../world/json-output.ts";
import { useHome } from "../../world/use-home.ts";

const home = useHome();
let programs: string;
beforeEach(() => {
  home.writeConfig({});
  programs = join(home.paths.root, "programs");
  mkdirSync(programs);
});

function beckon(...args: string[]) {
  const cli = join(home.paths.app, "dist", "cli.js");
  return run(process.execPath, [cli, ...args], "", { env: { ...home.env, PATH: `${programs}:/usr/bin:/bin` } });
}

/** Puts a nats-server that only prints its version on PATH. */
function putServer(version: string): void {
  writeFileSync(join(programs, "nats-server"), `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
}

const up = () => beckon("relay", "up", "--name", "relay.example.org", "--person", "alice");
const server = () => join(home.paths.relay, "server");

test("the server's files are written, and nothing is started", async () => {
  putServer("2.15.1");
  const { exitCode, stdout, stderr } = await up();
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Wrote the configuration of a NATS server for your team to ~\/relay\/server\.\n/);
  expect(stdout).toContain("The server is not running yet.");
  expect(stdout).not.toContain("but beckon needs");
  expect(existsSync(join(server(), "nats-server.pid"))).toBe(false);
  const from = { servers: ["tls://127.0.0.1:4222"], creds: "${file:~/relay/alice.creds}", durable: "team_alice" };
  expect(JSON.parse(readFileSync(home.paths.config, "utf8")).relay).toEqual({ from: [from] });
});

test("--json says what was set up", async () => {
  putServer("2.15.1");
  const { stdout } = await beckon("relay", "up", "--name", "relay.example.org", "--person", "alice", "--json");
  const program = { file: `${programs}/nats-server`, version: "2.15.1" };
  const [output] = readOutput("relay up", stdout);
  expect(output).toMatchObject({ folder: server(), person: "alice", isNew: true, isRunning: false, program });
});

const onLinux = test.runIf(process.platform === "linux");
onLinux("its unit runs the server that was found, with the file that was written", async () => {
  putServer("2.15.1");
  await up();
  const unit = readFileSync(join(server(), "beckon-nats.service"), "utf8");
  expect(unit).toContain(`ExecStart="${programs}/nats-server" "-c" "${server()}/nats-server.conf"\n`);
});

test("an outdated server on PATH is reported", async () => {
  putServer("2.10.27");
  expect((await up()).stdout).toMatch(/nats-server is version 2\.10\.27, but beckon needs 2\.12 or newer\.\n/);
});

test("what cannot be invited or revoked is refused with the reason", { timeout: 60_000 }, async () => {
  const noServer = /^beckon: no server is set up on this machine\n {2}To set one up: .* relay up\n$/;
  const rows: readonly [line: string, exitCode: number, says: RegExp][] = [
    ["invite ci-7", 1, noServer],
    ["revoke ci-7", 1, noServer],
    ["invite", 2, /missing NAME of a machine with agents/],
    ["invite ci.7", 2, /"ci\.7" is not a valid machine name/],
    ["invite localhost", 2, /"localhost" is not a valid machine name/],
    ["invite ci-7 --person a.b", 2, /--person: "a\.b" is not a valid name/],
    ["invite --person a --person b", 2, /missing NAME/],
    ["invite ci --count 3", 2, /--count needs NAME, .* and --out FOLDER/],
    ["invite ci --count 0 --out x", 2, /whole number from 1 to 2000/],
    ["invite ci-7 --expires 0d", 2, /--expires must be a duration such as 12h or 30d/],
    ["revoke ci-7 --person alice", 2, /missing NAME of a machine, or --person NAME/],
  ];
  const check = async ([line, exitCode, says]: (typeof rows)[number]) => {
    const stderr = expect.stringMatching(says);
    expect(await beckon("relay", ...line.split(" "))).toMatchObject({ exitCode, stdout: "", stderr });
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("an uninvited name cannot be revoked, and similar names are suggested", async () => {
  await up();
  const { exitCode, stderr } = await beckon("relay", "revoke", "--person", "alise");
  expect([exitCode, stderr]).toEqual([1, "beckon: alise is not invited\n  Did you mean `--person alice`?\n"]);
});
