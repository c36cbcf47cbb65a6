import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { TurnWork } from "../../src/core/facts.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { isInsideRunningAgent } from "../../src/pipeline/look-up.ts";
import { AttentionWorld } from "../world/attention-world.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { readAllJournal } from "../world/home.ts";
import { parsed } from "../world/parsed.ts";

/** Makes real shells under the names of agents. */
function makeAgents(): string {
  const folder = freshFolder();
  mkdirSync(join(folder, ".vscode-server"));
  for (const name of ["claude", "codex", "droid", "sh", "cursor", "code", "zed", ".vscode-server/node"])
    copyFileSync("/bin/sh", join(folder, name));
  const chain =
    'p=$PPID; while [ "$p" -gt 0 ]; do echo "$p $(cat /proc/$p/comm)"; p=$(awk "{print \\$4}" /proc/$p/stat); done';
  writeFileSync(join(folder, "hook"), `${chain} | head -8; echo end; read -r _\n`);
  return folder;
}

/**
 * Runs a script below which a hook prints its callers. Resolves as soon as they are printed, while the script goes on.
 */
async function findCallers(script: (folder: string) => string): Promise<[number, string][]> {
  const folder = makeAgents();
  const child = spawn("/bin/sh", ["-c", script(folder)], { stdio: ["pipe", "pipe", "inherit"], detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), "SIGKILL"));
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes("end")) break;
  }
  const lines = printed.split("\n").filter((line) => /^\d/.test(line));
  return lines.map((line) => [Number.parseInt(line, 10), line.replace(/^\d+ /, "")]);
}

const isNested = (agent: string, callers: [number, string][], origin: TurnWork["origin"] = "program") => {
  const event = { ...parsed({ session_id: "s" }, { agent, callers }), atMs: Date.now() };
  return isInsideRunningAgent(event, { work: { requests: [], calls: [], running: [], ...omitUndefined({ origin }) } });
};

/** Makes a script of processes below each other, the outermost first. An argument of a process follows its name. */
const inside =
  (...hosts: string[]) =>
  (folder: string): string => {
    const run = ([host = "", ...below]: readonly string[]): string => {
      const [name = "", argument = ""] = host.split(" ");
      const file = `${folder}/run-${below.length}`;
      writeFileSync(file, `${below.length > 0 ? run(below) : `sh ${folder}/hook`}\nread -r _\n`);
      return `${folder}/${name} ${file} ${argument}`;
    };
    return `${run(hosts)}; :`;
  };

test.each([
  ["claude", "claude"],
  ["codex", "claude"],
  ["claude", "codex"],
  ["droid", "droid"],
])("a %s run that starts a %s run is the outer one", async (outer, inner) => {
  expect(isNested(inner, await findCallers(inside(outer, `${inner} -p`)))).toBe(true);
});

test.each<[string, string[], TurnWork["origin"], boolean]>([
  ["an extension in an editor with the name of an agent", ["cursor", "claude"], "app", false],
  ["an extension of another agent in that editor", ["cursor", "codex"], undefined, false],
  ["a headless run in that editor's terminal", ["cursor", "sh", "claude -p"], "program", false],
  ["an extension in an editor that an agent's shell opened", ["claude", "sh", "code", "claude"], "app", false],
  ["a headless run in an editor that an agent's shell opened", ["codex", "zed", "claude -p"], "program", false],
  ["a headless run in the server of an editor", ["codex", ".vscode-server/node", "claude -p"], "program", false],
  ["a session of an app below an agent", ["claude", "claude"], "app", false],
  ["a session that a server of the agent starts", ["claude remote-control", "claude -p"], "program", false],
  ["a session of a server below another agent", ["claude", "codex app-server"], undefined, false],
  ["a headless run below another agent's server, which runs turns", ["codex app-server", "claude -p"], "program", true],
  ["a headless run below an agent in an editor", ["cursor", "codex", "claude -p"], "program", true],
  ["an agent without a terminal below another", ["codex", "claude"], undefined, true],
])("%s is nested only in an agent's own turn", async (_, hosts, origin, expected) => {
  const [own = ""] = hosts.at(-1)?.split(" ") ?? [];
  expect(isNested(own, await findCallers(inside(...hosts)), origin)).toBe(expected);
});

test("a run without an outer agent, or of the agent itself, is not nested", async () => {
  const alone = await findCallers((folder) => `${folder}/claude -c 'sh ${folder}/hook; read -r _; :'`);
  expect(isNested("claude", alone)).toBe(false);
  expect(isNested("codex", alone)).toBe(false);
});

test.each([
  ["whatever its arguments", "run", "", false],
  ["unless only the inner one is headless", "run", "-p", true],
  ["also if both are headless", "-p run", "-p", false],
])("an agent that starts itself directly is one run, %s", async (_, outer, inner, expected) => {
  // As arguments of a script, since a shell would take `-p` as its own option.
  const again = (folder: string) => {
    const next = `AGAIN=1 exec ${folder}/claude ${folder}/run ${inner}`;
    writeFileSync(join(folder, "run"), `[ "$AGAIN" ] && { sh ${folder}/hook; read -r _; exit; }; (${next}); :\n`);
    return `${folder}/claude ${folder}/run ${outer.replace("run", "")}; :`;
  };
  expect(isNested("claude", await findCallers(again), "terminal")).toBe(expected);
});

test("once the outer agent has ended, its pid proves nothing", async () => {
  const callers = await findCallers(inside("claude", "claude -p"));
  const [inner, outer] = callers.filter(([, name]) => name === "claude");
  const gone = spawn("/bin/true");
  await text(gone.stdout);
  expect(isNested("claude", [inner ?? [0, ""], [gone.pid ?? 0, "claude"]])).toBe(false);
  expect(isNested("claude", [inner ?? [0, ""], [process.pid, "claude"]])).toBe(false);
  expect(isNested("claude", [inner ?? [0, ""], outer ?? [0, ""]])).toBe(true);
});

test("a nested run is silent while the outer agent lives with `judgeLate` on, as journalled", async () => {
  const callers = await findCallers(inside("codex", "claude"));
  const play = async (attention: object, own = callers): Promise<(string | undefined)[]> => {
    const world = new AttentionWorld();
    world.nowMs = Date.now();
    await world.start({ routes: [{ to: ["desk"] }], attention });
    world.fire({ agent: "claude", id: "inner", pid: 0, callers: own }, "Stop");
    await world.workUntil(world.nowMs + 10_000);
    const skipped = readAllJournal(join(world.root, "journal")).find(({ status }) => status === "skipped");
    return [...world.calls.map(({ verb }) => verb), skipped?.reason];
  };
  expect(await play({})).toEqual(["a run inside another agent's run"]);
  expect(await play({ judgeLate: false })).toEqual(["ring", undefined]);
  expect(
    await play(
      {},
      callers.filter(([, name]) => name !== "codex"),
    ),
  ).toEqual(["ring", undefined]);
});
