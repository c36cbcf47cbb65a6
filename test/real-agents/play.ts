/**
 * Plays one scenario inside a sandbox: `play.ts AGENT SCENARIO with|again|record|without`. Writes
 * /home/out/result.json.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../../src/agents/registry.ts";
import { listQuietly } from "../../src/files/read-file.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { ann } from "../world/telegram-bot-api.ts";
import { home, project, type RealAgent, writeInHome } from "./agents/agent.ts";
import { realAgents } from "./agents/registry.ts";
import { botApiEntry } from "./away-scenario.ts";
import { damageInstallation } from "./damage.ts";
import { Desktop } from "./desktop.ts";
import { serveModel } from "./model/server.ts";
import { type Played, resultFile } from "./play-result.ts";
import { checkPlugin, installPlugin } from "./plugin.ts";
import { scenarios } from "./scenarios.ts";
import { printedLines, readRequestLines } from "./screens.ts";
import { callsFile, modelLog, readCalls, Session, streamFile } from "./session.ts";
import { until } from "./terminal.ts";
import { watchFiles } from "./watch-files.ts";

const cli = join(import.meta.dirname, "..", "..", "dist", "cli.js");
const beckon = join(home, ".beckon");
/** Seconds to wait for held events, longer than the 60 s for which beckon may hold an event. */
const maxHeldSeconds = 75;

const [agentName, scenarioName, hooks] = process.argv.slice(2);
const agent = realAgents.find(({ name }) => name === agentName);
const scenario = scenarios.find(({ name }) => name === scenarioName);
if (!agent || !scenario)
  throw new Error(`usage: play.ts AGENT SCENARIO with|again|record|without, not ${process.argv.slice(2)}`);
const startedAt = Date.now();
prepareHome(agent);
refuseBroken(agent);
const desktop = scenario.hasDesktop ? await Desktop.start() : undefined;
if (hooks !== "without") installHooks(agent);
if (hooks === "record") record(agent);
await serveModel(modelLog);
const session = new Session(agent, hooks !== "without", desktop);
const repair = session.hasHooks && scenario.damage ? damageInstallation(scenario.damage, agent) : () => {};
await scenario.play(session).catch((error: unknown) => session.troubles.push(String(error)));
repair();
if (session.hasHooks) await deliverAll();
writeFileSync(join("/home/out", resultFile), JSON.stringify(played(session), null, 2));
process.exit(0); // other programs end with the sandbox

function prepareHome(agent: RealAgent): void {
  execFileSync("git", ["init", "-q", project]);
  writeFileSync(join(project, "README.md"), "# shop\n");
  agent.prepare();
}

/** Fails if the agent's program cannot be run. Otherwise, a run without a terminal would pass for a silent one. */
function refuseBroken({ name, env, maxPauseSeconds }: RealAgent): void {
  const place = { cwd: project, env: { ...process.env, ...env }, timeout: maxPauseSeconds * 1000 } as const;
  const { status, error, stderr } = spawnSync(name, ["--version"], { ...place, encoding: "utf8" });
  if (!error && status === 0) return;
  throw new Error(`${name} --version failed with ${error?.message ?? status}: ${stderr?.trim().slice(-300)}`);
}

/** Runs `beckon install` and its test as a user would, and drops the rings of the sample event. */
function installHooks(agent: RealAgent): void {
  const hasDesktop = desktop !== undefined || scenario?.answers === "here";
  const notifiers = {
    calls: { type: "file", path: callsFile },
    ...(hasDesktop && { desk: { type: "desktop" } }),
    ...(scenario?.answers === "chat" && { me: botApiEntry }),
  };
  const common = { agents: [agent.name], projects: ["~/**"] };
  const answers = {
    here: { ...common, wait: "75s", when: "always", from: { desk: ["deny", "allow"] } },
    away: { ...common, wait: "30s" },
    chat: { ...common, wait: "30s", from: { me: { users: [ann.id], may: ["deny", "allow"] } } },
  };
  const attention = { wait: "0s", away: "10s", watching: { "needs-you": "ring" } };
  writeInHome(".beckon/config.jsonc", {
    ...(scenario?.answers && { answers: answers[scenario.answers], attention }),
    notifiers,
    routes: [{ kinds: ["needs-you", "failed", "finished"], to: Object.keys(notifiers) }],
  });
  if (scenario?.installs) installPlugin(agent);
  if (scenario?.installs !== "plugin") installIntoSettings(agent);
  if (scenario?.isInstalledTwice) installIntoSettings(agent, "project");
}

function installIntoSettings({ name }: RealAgent, scope = "user"): void {
  const tools = scenario?.hasTools ? ["--mcp"] : [];
  const args = ["install", "--agent", name, "--scope", scope, "--yes", ...tools];
  const said = execFileSync(process.execPath, [cli, ...args], { cwd: project, encoding: "utf8" });
  writeFileSync("/home/out/install.txt", said);
  for (const args of [["flush"], ["test", "calls"]]) execFileSync(process.execPath, [cli, ...args], { cwd: project });
  if (readCalls().length === 0) throw new Error(`The test message rang nobody: ${said}`);
  rmSync(callsFile);
}

/** Records each hook's input, through a script in the launcher's place, and each line of the transcripts. */
function record({ sessions }: RealAgent): void {
  const folder = "/home/out/record";
  mkdirSync(folder);
  renameSync(join(beckon, "hook"), join(beckon, "launcher"));
  cpSync(join(import.meta.dirname, "record-hook.sh"), join(beckon, "hook"));
  chmodSync(join(beckon, "hook"), 0o755);
  watchFiles(join(home, sessions), join(folder, "files.jsonl"));
}

/** Waits until beckon has delivered or skipped everything, including held events. */
async function deliverAll(): Promise<void> {
  const waiting = () => ["tmp", "new", "cur"].flatMap((folder) => listQuietly(join(beckon, "spool", folder)));
  await until(() => waiting().length === 0, 5);
  if (scenario?.installs) session.troubles.push(...(await checkPlugin(session.agent, scenario.installs)));
  execFileSync(process.execPath, [cli, "flush", "--timeout", "20"], { cwd: project, encoding: "utf8" });
  if (!(await until(() => waiting().length === 0, maxHeldSeconds))) {
    session.troubles.push(`beckon still holds ${waiting().length} events after ${maxHeldSeconds} s`);
  }
  cpSync(join(beckon, "journal"), "/home/out/journal", { recursive: true });
  checkPrompts(session);
}

/**
 * If the agent's hooks report prompts, checks that each typed prompt is journalled once, and that no other prompt
 * counts as the user's.
 */
function checkPrompts({ agent, said, troubles }: Session): void {
  const { nativeEvents = {}, settings } = agents.find(({ name }) => name === agent.name) ?? {};
  if (!Object.keys(settings?.defaultEvents ?? {}).some((name) => nativeEvents[name]?.event === "Prompt")) return;
  const lines = readJournal(join(beckon, "journal"), 2).filter(({ event }) => event === "Prompt");
  const own = lines.filter(({ reason }) => reason === undefined);
  const isSilent = agent.isSilentAboutHeadlessPrompts && scenarioName?.startsWith("headless") === true;
  // A prompt notifies nobody, so a duplicate is not dropped.
  const hookSets = scenario?.installs === "plugin and settings" ? 2 : 1;
  if (own.length !== (isSilent || scenario?.damage ? 0 : said * hookSets))
    troubles.push(`${said} prompts were said, and ${own.length} of ${lines.length} came in as such`);
}

function played({ hasHooks, troubles, remarks, screens, readyAtByte }: Session): Played {
  return {
    remarks,
    calls: hasHooks ? readCalls() : [],
    troubles,
    screens,
    printed: printedLines(streamFile, readyAtByte),
    modelLines: readRequestLines(modelLog),
    seconds: Math.round((Date.now() - startedAt) / 1000),
  };
}
