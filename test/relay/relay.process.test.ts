import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import type { CheckContext } from "../../src/cli/commands/doctor/check.ts";
import { relayChecks } from "../../src/cli/commands/doctor/relay.ts";
import { viewRelay } from "../../src/cli/status/relay-view.ts";
import { loadConfig } from "../../src/config/load.ts";
import { readRelayStatus, relayFiles } from "../../src/relay/relay-status.ts";
import { newIdentity } from "../../src/relay/seal.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshHome } from "../world/fresh-home.ts";
import { dist, type Home, readAllJournal } from "../world/home.ts";
import { readError, readOutput } from "../world/json-output.ts";
import { freshHomes, numbers, untilNotified, useHomes } from "../world/two-homes.ts";

const homes = useHomes();

describe("relay", () => {
  test("an event of another machine rings here with that machine's name", async () => {
    homes.receive();
    await homes.ask("May I?");
    await untilNotified(homes, ["May I?"]);
    const session = { project: "shop", cwd: "/home/ann/shop", sessionId: "May I?" };
    expect(homes.notifications()[0]).toMatchObject({ title: "shop@devbox · Claude Code needs you", ...session });
    const lines = homes.deskJournal().map(({ status, host }) => `${status} ${host}`);
    expect(lines).toEqual(["accepted devbox", "sent devbox"]);
    expect(homes.deskJournal()[0]?.id).toMatch(/^r_[\w-]{43}$/);
  });

  test("an event sent without a receiver waits, and arrives once", async () => {
    for (const words of numbers(4)) await homes.ask(words);
    await homes.until(() => homes.outbox().length === 4);
    homes.receive();
    await untilNotified(homes, numbers(4));
  });

  test("a route may be limited to some machines", async () => {
    const local = { hosts: ["localhost"], to: ["desk"] };
    const routes = [local, { hosts: ["ci-*"], kinds: ["failed"], to: ["desk"] }];
    homes.configureDesk([homes.pipes("ci-7")], { routes });
    homes.receive();
    await homes.ask("not for me");
    await homes.fire("StopFailure", { error: "rate_limit", session_id: "two" });
    await homes.until(() => homes.deskJournal().some(({ status }) => status === "sent"));
    const lines = homes.deskJournal().map(({ kind, status, reason }) => `${kind} ${status}: ${reason}`);
    for (const line of ["needs-you skipped: no route matches", "failed sent: undefined"]) expect(lines).toContain(line);
  });

  describe("state changes are relayed:", () => {
    const request = { notification_type: "permission_prompt", message: "May I?" };
    const ends = () => homes.deskJournal().filter(({ status }) => status === "resolved");

    test("the user's prompt there ends the request here", async () => {
      homes.receive();
      await homes.fire("Notification", request);
      await untilNotified(homes, ["May I?"]);
      await homes.fire("UserPromptSubmit", { prompt: "secret words" });
      await homes.until(() => ends().length > 0);
      expect(ends()).toMatchObject([{ host: "devbox", resolvedBy: "prompt" }]);
    });

    test("an event resolved before its arrival does not ring", async () => {
      homes.configureDesk([homes.pipes("devbox")], { attention: { wait: "5s" } }); // should the two come apart
      await homes.fire("Notification", request);
      await homes.until(() => homes.outbox().length === 1);
      await homes.fire("UserPromptSubmit", {});
      await homes.until(() => homes.outbox().length === 2);
      homes.receive();
      await homes.until(() => homes.outbox().length === 0);
      await homes.until(() => homes.deskJournal().some(({ status }) => status === "skipped"));
      expect(homes.deskJournal().at(-1)).toMatchObject({ reason: "already resolved: you typed a prompt" });
      expect(homes.notifications()).toEqual([]);
    });

    test("an alert seen here is resolved there", async () => {
      homes.receive();
      await homes.fire("Notification", request);
      await untilNotified(homes, ["May I?"]);
      const { stdout } = await homes.beckon(homes.desk, "seen");
      expect(stdout).toMatch(/^seen: shop · Claude Code/);
      await homes.until(() => homes.edgeJournal().some(({ resolvedBy }) => resolvedBy === "seen"));
    });
  });

  test("texts sealed for this machine are readable only here, not on the way", async () => {
    const { identity, recipient } = await newIdentity();
    const homes = freshHomes({ relay: { identity } }, { seal: recipient });
    homes.configureDesk([homes.pipes("devbox")], { relay: { identity } });
    await homes.ask("the canary sings");
    await homes.until(() => homes.outbox().length === 1);
    const { outbox } = relayFiles(homes.edge.paths);
    const sent = readFileSync(join(outbox, homes.outbox()[0] ?? ""), "utf8");
    expect(sent).toContain("io.beckon.agent.needs-you.v1");
    expect(sent).not.toMatch(/canary|shop/);
    homes.receive();
    await untilNotified(homes, ["the canary sings"]);
  });

  test("an event sealed for another key is rejected, kept and journalled", async () => {
    const [mine, other] = [await newIdentity(), await newIdentity()];
    const homes = freshHomes({ relay: { identity: mine.identity } }, { seal: other.recipient });
    homes.receive();
    await homes.ask("not for me");
    await homes.until(() => homes.deskJournal().length > 0);
    const reason = "relay.sealed: it is sealed for another key than `relay.identity`";
    expect(homes.deskJournal()).toMatchObject([{ status: "rejected", host: "devbox", reason }]);
    await homes.until(() => homes.outbox().length === 0);
    expect(homes.desk.spooled()).toHaveLength(1);
  });
});

describe("relay commands", () => {
  const beckon = (home: Home, ...args: string[]) => homes.beckon(home, ...args);
  /** Returns the results of `doctor` about the relay. */
  async function checked({ paths }: Home): Promise<string[]> {
    const config = await loadConfig(paths.config);
    const journal = readAllJournal(paths.journal);
    const nowMs = Date.now();
    const relay = await viewRelay(paths, config, nowMs);
    const context = { paths, config, journal, relay, nowMs } as unknown as CheckContext;
    const results = await Promise.all(relayChecks.map((check) => check(context)));
    return results.flat().map(({ status }) => status);
  }

  const readConfig = ({ paths }: Home) => JSON.parse(readFileSync(paths.config, "utf8"));

  test("both ends say how it goes", async () => {
    const notRunning = "✗ devbox: not connected: `beckon relay run` is not running\n";
    expect(await beckon(homes.desk, "relay", "status")).toMatchObject({ exitCode: 1, stdout: notRunning });
    expect(await checked(homes.desk)).toEqual(["fail"]);
    await homes.ask("May I?");
    await homes.until(() => homes.outbox().length === 1);
    const waiting = /^This machine's events \(notifier home\): never fetched yet, 1 waiting, the oldest for \d+ s\n$/;
    expect((await beckon(homes.edge, "relay", "status")).stdout).toMatch(waiting);
    homes.receive();
    await homes.until(() => homes.notifications().length === 1 && homes.outbox().length === 0);
    const connected = expect.stringMatching(/^✓ devbox: connected, beckon \d+\.\d+\.\d+\n$/);
    expect(await beckon(homes.desk, "relay", "status")).toMatchObject({ exitCode: 0, stdout: connected });
    expect([await checked(homes.desk), await checked(homes.edge)]).toEqual([["ok"], ["ok"]]);
    await homes.until(() => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.lastEventAtMs !== undefined);
    const [host] = readOutput("relay hosts", (await beckon(homes.desk, "relay", "hosts", "--json")).stdout);
    expect(host).toMatchObject({ host: "devbox", state: "connected", lastEventAt: expect.any(String) });
    const links = [{ name: "devbox", link: { state: "connected" } }];
    for (const command of ["relay status", "status"]) {
      const [output] = readOutput(command, (await beckon(homes.desk, ...command.split(" "), "--json")).stdout);
      expect(command === "status" ? output?.["relay"] : output).toMatchObject({ sources: links });
    }
    const [edge] = readOutput("relay status", (await beckon(homes.edge, "relay", "status", "--json")).stdout);
    expect(edge).toMatchObject({ isConfigured: true, handingOver: { waiting: 0, fetchedAt: expect.any(String) } });
    expect((await beckon(homes.edge, "relay", "status")).stdout).toMatch(/last fetched \d+ s ago, none waiting/);
    expect((await beckon(homes.desk, "log")).stdout).toMatch(/needs-you\s+claude\s+shop@devbox/);
    expect((await beckon(homes.desk, "sessions")).stdout).toMatch(/shop@devbox\s+Claude Code/);
  });

  test("a second receiver reports the first one", async () => {
    homes.receive();
    await homes.until(() => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.state === "connected");
    const { exitCode, stderr } = await beckon(homes.desk, "relay", "run");
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/relay run is already running as process \d+\n/)]);
  });

  test("leaving undoes both ends, and keeps waiting events by default", async () => {
    await homes.ask("May I?");
    await homes.until(() => homes.outbox().length === 1);
    const first = await beckon(homes.edge, "relay", "leave");
    expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining("1 events are waiting to be fetched")]);
    const { exitCode, stdout } = await beckon(homes.desk, "relay", "leave", "devbox", "--yes");
    expect([exitCode, stdout]).toEqual([0, "This machine no longer receives events from devbox.\n"]);
    expect([readConfig(homes.desk).relay, readConfig(homes.edge).notifiers]).toEqual([undefined, undefined]);
    expect(homes.outbox()).toEqual([]);
  });

  test("leaving with --json says what was left on each end", async () => {
    await homes.ask("May I?");
    await homes.until(() => homes.outbox().length === 1);
    const kept = await beckon(homes.edge, "relay", "leave", "--json");
    expect([kept.exitCode, readError(kept.stderr).message]).toEqual([1, "1 events are waiting to be fetched"]);
    const gone = await beckon(homes.edge, "relay", "leave", "--yes", "--json");
    expect(readOutput("relay leave", gone.stdout)).toEqual([{ notifiers: ["home"], deleted: 1 }]);
    const { stdout } = await beckon(homes.desk, "relay", "leave", "devbox", "--json");
    const problem = "this machine does not send its events anywhere";
    expect(readOutput("relay leave", stdout)).toEqual([{ host: "devbox", problem }]);
  });

  test("adding a machine with --json asks nothing, and prints the deliveries of the sample event", async () => {
    homes.configureDesk([]);
    const added = ["relay", "add", "--yes", "--json", "--name", "devbox", "--", ...homes.pipes("devbox").via];
    const { exitCode, stdout, stderr } = await beckon(homes.desk, ...added);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const outcomes = expect.arrayContaining([expect.objectContaining({ notifier: "desk", status: "sent" })]);
    expect(readOutput("relay add", stdout)).toEqual([{ host: "devbox", isInstalled: false, outcomes }]);
  });

  test("the receiver prints each change of a connection as an object with --json", async () => {
    const cli = join(homes.desk.paths.app, "dist", "cli.js");
    const child = spawn(process.execPath, [cli, "relay", "run", "--json"], { env: homes.desk.env });
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    child.kill();
    await once(child, "exit");
    expect(readOutput("relay run", `${line}\n`)).toMatchObject([{ host: "devbox", state: "connected" }]);
  });

  test("without a relay, relay commands show advice and other commands do not mention it", async () => {
    const plain = freshHome({});
    for (const command of ["status", "log"])
      expect((await beckon(plain, command)).stdout).not.toMatch(/relay|machines/i);
    expect(await beckon(plain, "relay", "hosts", "--json")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    const { exitCode, stdout } = await beckon(plain, "relay", "status", "--json");
    expect([exitCode, readOutput("relay status", stdout)]).toEqual([0, [{ isConfigured: false, sources: [] }]]);
    expect(await checked(plain)).toEqual([]);
    const none = /^beckon: no other machines are set up\n {2}To set one up: .* relay add -- ssh HOST\n$/;
    const stderr = expect.stringMatching(none);
    expect(await beckon(plain, "relay", "run")).toMatchObject({ exitCode: 1, stderr });
    const nowhere = /^beckon: this machine does not send its events anywhere/;
    expect((await beckon(plain, "relay", "leave")).stderr).toMatch(nowhere);
  });

  test("joining keeps a machine's own settings and comments, and shows what it writes", async () => {
    const config = `{
  // mine
  "notifiers": { "phone": { "type": "ntfy", "topic": "x" } },
  "routes": [{ "kinds": ["failed"], "to": ["phone"] }]
}
`;
    writeFileSync(homes.edge.paths.config, config, { mode: 0o600 });
    const invitation = `${homes.edge.paths.root}/invitation.json`;
    const seal = (await newIdentity()).recipient;
    writeFileSync(invitation, JSON.stringify({ beckon: 1, via: "stdio", name: "devbox", seal: [seal] }));
    const { exitCode, stdout } = await beckon(homes.edge, "relay", "join", "--yes", "--json", invitation);
    expect([exitCode, readOutput("relay join", stdout)]).toMatchObject([0, [{ notifier: "home" }]]);
    const text = readFileSync(homes.edge.paths.config, "utf8");
    expect(text).toContain("// mine");
    expect(JSON.parse(text.replace("// mine", ""))).toEqual({
      notifiers: { phone: { type: "ntfy", topic: "x" }, home: { type: "relay", via: "stdio", seal } },
      routes: [
        { kinds: ["failed"], to: ["phone"] },
        { kinds: ["needs-you", "failed", "finished"], to: ["home"] },
      ],
    });
    const shown = await beckon(homes.edge, "relay", "join", invitation);
    expect(shown.stdout).toContain(`config.jsonc, notifiers.home: {"type":"relay","via":"stdio","seal":"${seal}"}`);
    expect(readFileSync(homes.edge.paths.config, "utf8")).toBe(text);
  });

  test("an invitation with an invalid field changes nothing and runs nothing", async () => {
    const ran = join(homes.edge.paths.root, "ran");
    const { recipient } = await newIdentity();
    const mistyped = recipient.replace(/.$/, (last) => (last === "q" ? "p" : "q"));
    const command = `\${command:touch ${ran}}`;
    const creds = { beckon: 1, role: "machine", team: "team", host: "ci", people: ["a"], seed: `SU${"A".repeat(56)}` };
    const server = { beckon: 1, servers: ["tls://localhost:4222"], creds };
    const stdio = { beckon: 1, via: "stdio", name: "box" };
    const rows: Record<string, object> = {
      "a command as recipient": { ...stdio, seal: [command] },
      "a file as recipient": { ...stdio, seal: ["${file:/etc/passwd}"] },
      "an escape sequence as recipient": { ...stdio, seal: ["\u001b]0;x\u0007"] },
      "a recipient with a wrong checksum": { ...stdio, seal: [mistyped] },
      "no recipient in the list": { ...stdio, seal: [] },
      "51 recipients": { ...stdio, seal: Array(51).fill(recipient) },
      "100,000 recipients": { ...stdio, seal: Array(100_000).fill(recipient) },
      "a command as name": { ...stdio, name: command },
      "a command as way": { ...stdio, via: command },
      "a command as server's recipient": { ...server, seal: [command] },
      "a command as server": { ...server, servers: [command] },
      "a command inside a server": { ...server, servers: [`tls://${command.replaceAll(" ", "")}`] },
      "an escape sequence in a server": { ...server, servers: ["tls://\u001b]0;x\u0007"] },
      "a command as host": { ...server, creds: { ...creds, host: command } },
      "a command as person": { ...server, creds: { ...creds, people: [command] } },
      "a command as key": { ...server, creds: { ...creds, role: "person", person: "a", identity: command } },
    };
    const before = readFileSync(homes.edge.paths.config, "utf8");
    const file = join(homes.edge.paths.root, "invitation.json");
    const check = async (name: string): Promise<void> => {
      writeFileSync(file, JSON.stringify(rows[name]));
      const { exitCode, stderr } = await beckon(homes.edge, "relay", "join", file);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^beckon: .*invitation/)]);
      expect(readFileSync(homes.edge.paths.config, "utf8")).toBe(before);
    };
    expect(await collectFailures(Object.keys(rows), check)).toEqual([]);
    expect(existsSync(ran)).toBe(false);
    expect(existsSync(join(homes.edge.paths.relay, "host.creds"))).toBe(false);
  }, 60_000);

  test("an invalid invitation is refused with a message", async () => {
    const { exitCode, stderr } = await beckon(homes.edge, "relay", "join", "/etc/hostname");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("/etc/hostname is not an invitation")]);
    const empty = /standard input is empty\n {2}The command that creates the invitation failed/;
    expect((await beckon(homes.edge, "relay", "join", "-")).stderr).toMatch(empty);
  });
});

describe("team", () => {
  const noServer = expect.stringMatching(
    /^beckon: no team server is set up on this machine\n {2}To join a team, run `.* relay join FILE` with an invitation for a person\.\n$/,
  );

  /** Makes every file with NATS code fail to load in the command line. Returns their number. */
  function breakNats({ paths }: Home): number {
    const folder = join(paths.app, "dist", "chunks", "cli");
    rmSync(folder); // a link to the build's
    cpSync(join(dist, "chunks", "cli"), folder, { recursive: true });
    const files = readdirSync(folder).map((file) => join(folder, file));
    const ofNats = files.filter((file) => /NatsConnectionImpl|kvOperationHdr/.test(readFileSync(file, "utf8")));
    for (const file of ofNats) writeFileSync(file, "throw new Error('NATS is loaded');\n");
    return ofNats.length;
  }

  test("without a server a command says what is missing, and wrong usage is refused", async () => {
    const rows: readonly [line: string, exitCode: number, says: string][] = [
      ["sessions --team", 1, noServer],
      ["sessions --team --json", 1, noServer],
      ["board --team", 1, noServer],
      ["sessions --team --watch", 2, "--team can only be combined with --json"],
      ["board --team --out day.html", 2, "--team cannot be combined with --out"],
    ];
    const check = async ([line, exitCode, says]: (typeof rows)[number]) => {
      if (line.includes("--json")) {
        const { stderr } = await homes.beckon(homes.desk, ...line.split(" "));
        expect(readError(stderr).message).toBe("no team server is set up on this machine");
        return;
      }
      const stderr = says === noServer ? says : expect.stringContaining(says);
      expect(await homes.beckon(homes.desk, ...line.split(" "))).toMatchObject({ exitCode, stdout: "", stderr });
    };
    expect(await collectFailures(rows, check)).toEqual([]);
  });

  test("commands without a team or server load no NATS code", async () => {
    expect(breakNats(homes.desk)).toBeGreaterThan(0);
    expect(breakNats(homes.edge)).toBeGreaterThan(0);
    homes.receive();
    await homes.ask("May I?");
    await untilNotified(homes, ["May I?"]);
    for (const args of [["sessions"], ["sessions", "--json"], ["status"], ["relay", "status"], ["seen"]])
      expect(await homes.beckon(homes.desk, ...args)).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await homes.beckon(homes.desk, "sessions", "--team")).stderr).toMatch(/unexpected (Syntax)?Error/);
  });

  test("invalid credentials are reported", async () => {
    const source = { servers: ["nats://127.0.0.1:1"], creds: "{}", durable: "team_alice" };
    const plain = freshHome({ relay: { from: [source] } });
    const { exitCode, stderr } = await homes.beckon(plain, "sessions", "--team");
    expect(exitCode).toBe(1);
    const says =
      /^beckon: cannot read the sessions of the team on 127\.0\.0\.1:1: .*not the credentials of an invitation/;
    expect(stderr).toMatch(says);
  });
});
