/** Runs real agents in sandboxes and compares their rings with the expected ones; see `--list` and `usage`. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inParallel } from "../world/background.ts";
import type { RealAgent } from "./agents/agent.ts";
import { findExpectation, unplayable } from "./expected.ts";
import { type InstalledPackage, installPackage, latestVersion, pinnedVersions } from "./install-agents.ts";
import { type Options, parseOptions, usage } from "./options.ts";
import { type Played, resultFile } from "./play-result.ts";
import { findPlugin } from "./plugin.ts";
import { writeRecording } from "./recording.ts";
import { missingForSandbox, runInSandbox, type Sandbox } from "./sandbox.ts";
import type { Scenario } from "./scenarios.ts";
import { judge, type Runs, type Verdict } from "./verdict.ts";

const maxSeconds = 420;
/** For scenarios that measure times, again and again. */
const maxTimedSeconds = 1_800;

const options = parseOptionsOrExit();
if (options.list) {
  for (const { name, what, byDefault } of options.scenarios)
    console.log(`${byDefault ? " " : "+"} ${name.padEnd(22)} ${what}`);
  process.exit(0);
}
const missing = missingForSandbox();
if (missing) {
  console.error(missing);
  process.exit(1);
}
const startedAt = Date.now();
const bareRuns = new Map<string, Promise<Played>>();
let failures = 0;
const installed = await installAll(options);
const isAlone = ({ hasDesktop, isTimed }: Scenario) => hasDesktop === true || isTimed === true;
const besideOthers = options.scenarios.filter((scenario) => !isAlone(scenario));
const alone = options.scenarios.filter(isAlone);
await inParallel(plays({ ...options, scenarios: besideOthers }, installed), options.jobs);
await inParallel(plays({ ...options, scenarios: alone }, installed), 1);
if (!options.keeps) rmSync(options.folder, { recursive: true, force: true });
const place = options.keeps ? `; kept in ${options.folder}` : "";
console.log(`\n${failures} failed; ${Math.round((Date.now() - startedAt) / 1000)} s${place}`);
process.exit(failures > 0 ? 1 : 0);

function parseOptionsOrExit(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(64);
  }
}

type Installed = ReadonlyMap<string, InstalledPackage>;

/** Installs the packages that versions.json names. An agent that cannot be installed is a failure. */
async function installAll({ agents, latest }: Options): Promise<Installed> {
  const versions = pinnedVersions();
  const packages = new Map<string, InstalledPackage>();
  const install = async (name: string) => {
    const pinned = versions[name];
    if (!pinned) throw new Error(`versions.json has no ${name}.`);
    try {
      packages.set(name, await installPackage(latest && name !== "node" ? await latestVersion(pinned) : pinned));
    } catch (error) {
      failures += 1;
      console.log(`FAILED  ${name} ${pinned.version} cannot be installed: ${(error as Error).message}`);
    }
  };
  const tasks = ["node", ...agents.map((agent) => agent.name)].map((name) => () => install(name));
  await inParallel(tasks, 2);
  return packages;
}

/** Lists a task for each agent and scenario, ordered so that the slowest agents do not all come last. */
function plays({ agents, scenarios }: Options, packages: Installed): (() => Promise<void>)[] {
  const agentNode = packages.get("node");
  if (!agentNode) return [];
  return scenarios.flatMap((scenario) =>
    agents.flatMap((agent) => {
      const own = packages.get(agent.name);
      if (!isFor(agent, scenario)) return [];
      const reason = unplayable[agent.name]?.[scenario.name];
      if (reason) console.log(`-       ${agent.name} ${scenario.name}: not played: ${reason}`);
      return own && !reason ? [() => playAndJudge(agent, scenario, own, agentNode)] : [];
    }),
  );
}

function isFor(agent: RealAgent, { onlyWith = [agent.name], installs, isPlanned }: Scenario): boolean {
  if (installs && findPlugin(agent) === undefined) return false;
  return onlyWith.includes(agent.name) && (!isPlanned || agent.planning !== undefined);
}

async function playAndJudge(agent: RealAgent, scenario: Scenario, own: InstalledPackage, agentNode: InstalledPackage) {
  const packages = { agent: own.folder, agentNode: agentNode.folder };
  const isCompared = scenario.comparesScreens && !options.onlyRings;
  const playBoth = async (hooks: string): Promise<Runs> => ({
    withHooks: [await playOnce(agent, scenario, hooks, packages)],
    bare: isCompared ? [await playBare(agent, scenario, hooks === "again", packages)] : [],
  });
  const expectation = findExpectation(agent.name, scenario.name);
  const first = await playBoth(options.record ? "record" : "with");
  let runs = first;
  let verdict = judge(agent, expectation, runs);
  const { stuck, onlyScreens } = verdict;
  // On a busy machine an agent may get stuck, or run its hook before it writes its transcript, so only a repeated fault
  // counts.
  const troubles = stuck.length > 0 ? stuck : verdict.outcome === "FAILED" && !onlyScreens ? verdict.differences : [];
  if (onlyScreens || troubles.length > 0) {
    const again = await playBoth("again");
    const both: Runs = { withHooks: [...first.withHooks, ...again.withHooks], bare: [...first.bare, ...again.bare] };
    runs = onlyScreens && stuck.length === 0 ? both : again;
    verdict = judge(agent, expectation, runs);
  }
  if (verdict.outcome === "FAILED" || verdict.outcome === "fixed") failures += 1;
  console.log(formatReport(`${agent.name} ${own.version}`, scenario.name, verdict, runs));
  for (const trouble of troubles) console.log(`          played again, because at first ${trouble}`);
}

function formatReport(agent: string, scenario: string, verdict: Verdict, { withHooks, bare }: Runs): string {
  const { outcome, expected, got, differences } = verdict;
  const seconds = [...withHooks, ...bare].reduce((sum, run) => sum + run.seconds, 0);
  const line = `${outcome.padEnd(7)} ${agent.padEnd(17)} ${scenario.padEnd(21)} expected ${expected.padEnd(5)} got ${got.padEnd(5)} ${seconds} s`;
  const notes = outcome === "fixed" ? ["it is right now: remove it from knownFaults", ...differences] : differences;
  const remarks = withHooks.flatMap((run) => run.remarks ?? []);
  return [line, ...remarks, ...notes].join("\n          ");
}

type Packages = Pick<Sandbox, "agent" | "agentNode">;

/** Runs a scenario without hooks, once for all scenarios that are the same without them. */
function playBare(agent: RealAgent, scenario: Scenario, isAgain: boolean, packages: Packages): Promise<Played> {
  const name = scenario.sameWithoutHooks ?? scenario.name;
  const key = `${agent.name} ${name} ${isAgain}`;
  const run = bareRuns.get(key) ?? playOnce(agent, { ...scenario, name }, "without", packages);
  bareRuns.set(key, run);
  return run;
}

/** Runs a scenario once, in a separate sandbox. */
async function playOnce(agent: RealAgent, scenario: Scenario, hooks: string, packages: Packages): Promise<Played> {
  const folder = join(options.folder, agent.name, scenario.name, hooks);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const command = ["--import", "tsx", "test/real-agents/play.ts", agent.name, scenario.name, hooks];
  const seconds = scenario.isTimed ? maxTimedSeconds : maxSeconds;
  const code = await runInSandbox({ folder, ...packages }, command, seconds);
  if (hooks === "record" && options.record) {
    const fixture = join(options.record, agent.name, `${scenario.name}.jsonl`);
    writeRecording(agent.name, join(folder, "out", "record"), fixture);
  }
  try {
    return JSON.parse(readFileSync(join(folder, "out", resultFile), "utf8"));
  } catch {
    const log = readFileSync(join(folder, "log.txt"), "utf8").trim().slice(-500);
    const trouble = `it ended with ${code ?? `no result after ${seconds} s`}: ${log}`;
    return { calls: [], troubles: [trouble], screens: {}, printed: [], modelLines: [], seconds: 0 };
  }
}
