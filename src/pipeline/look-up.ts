import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import picomatch from "picomatch";
import { findProgramOwner, interpreters } from "../agents/registry.ts";
import type { Session } from "../attention/alert.ts";
import { threadKey } from "../attention/session-keys.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { BeckonError } from "../core/errors.ts";
import type { AgentEvent, Place } from "../core/event.ts";
import type { FoundFacts, ReadTo } from "../core/facts.ts";
import { at, toList } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, FilesPort, Timer } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { expandHome, folderName } from "../files/paths.ts";
import { findProcess, startTimeMs } from "../files/process-table.ts";
import { readQuietly } from "../files/read-file.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { readOn } from "../lookups/session-files.ts";
import { cleanLine } from "../text/clean.ts";
import { usesName } from "../text/template.ts";
import { clockTime } from "../text/time.ts";
import type { RunContext } from "./context.ts";
import type { KnownEvent } from "./judge.ts";
import { resolveSettings, withinBudget } from "./within-budget.ts";

type LookupContext = Pick<RunContext, "config" | "ports" | "keepSecret">;

type LookedUp = Required<Pick<KnownEvent, "facts" | "problems">>;

/**
 * Runs all configured lookups concurrently, each within its time budget. If two lookups find the same fact, the one
 * later in the list wins.
 */
export async function lookUp(event: AgentEvent, context: LookupContext): Promise<LookedUp> {
  const results = await Promise.all(context.config.lookups.map((name) => runLookup(name, event, context)));
  return {
    facts: Object.assign({}, ...results.map(({ facts }) => facts)) as FoundFacts,
    problems: results.flatMap(({ problems }) => problems),
  };
}

/** Longest time for reading on in a session's transcripts, in milliseconds. */
const readOnTimeoutMs = 2_000;

/**
 * Reads what was added to a session's transcripts since an event; undefined if transcripts are not looked up, or if the
 * disk hangs.
 */
export async function readOnInTime(event: AgentEvent, readTo: ReadTo | undefined, { config, ports }: LookupContext) {
  if (!config.lookups.includes("transcript")) return undefined;
  // Without a known end, the transcript was not there yet.
  return inTime(readOn(event, readTo ?? { "": 0 }, ports.files), readOnTimeoutMs, ports.clock);
}

/** Resolves to undefined if a result takes too long, because a hanging network drive cannot be aborted. */
function inTime<Result>(result: Promise<Result>, maxMs: number, clock: ClockPort): Promise<Result | undefined> {
  let timer: Timer | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.after(maxMs, () => resolve(undefined));
  });
  return Promise.race([result, late]).finally(() => timer?.cancel());
}

async function runLookup(name: string, event: AgentEvent, context: LookupContext): Promise<LookedUp> {
  const problems: string[] = [];
  const report = (problem: unknown): void => {
    problems.push(`lookup ${name}: ${problem instanceof BeckonError ? problem.message : "a fault in the lookup"}`);
  };
  try {
    const lookup = await lookupLoaders[name]?.();
    const { config, ports, keepSecret } = context;
    const unresolved = config.lookupSettings[name];
    const schema = lookup?.settings;
    if (!lookup || (schema && unresolved === undefined)) return { facts: {}, problems };
    const settings =
      schema && (await resolveSettings({ schema, settings: unresolved, path: name }, ports.exec, keepSecret));
    const templates = [config, ...config.notifiers.values()].map((configured) => configured.templates);
    const isDoneWanted = templates.some((set) => usesName(set, "did"));
    const find = (signal: AbortSignal) => lookup.find({ event, settings, ports, signal, isDoneWanted, report });
    return { facts: await withinBudget(lookup.budgetMs, ports.clock, find, "took too long"), problems };
  } catch (error) {
    report(error);
    return { facts: {}, problems };
  }
}

/** Maximum number of schedules that are evaluated. */
const maxCrons = 20;
/** Maximum length of a schedule, in UTF-16 units. Longer text is cut. */
const maxCronChars = 80;

/**
 * Finds the time of the session's next scheduled run from the payload of a Stop. Returns local time, `14:20`, with the
 * date if that is not today; the schedule's own text if no time can be computed; undefined without a schedule.
 * @see https://code.claude.com/docs/en/scheduled-tasks `session_crons` in a Stop's payload
 */
export async function findNextRun({ event, extra }: AgentEvent, nowMs: number): Promise<string | undefined> {
  const schedules = event === "Stop" ? toList(extra.session_crons) : [];
  const crons = schedules.flatMap((schedule) => {
    const cron = at(schedule, "cron");
    const line = typeof cron === "string" ? cleanLine(cron.slice(0, maxCronChars)) : "";
    return line === "" ? [] : [line];
  });
  if (crons.length === 0) return undefined;
  // Loaded here because few sessions have a schedule.
  const { Cron } = await import("croner");
  const next = (cron: string) => new Cron(cron, { paused: true }).nextRun(new Date(nowMs))?.getTime();
  const times = crons.slice(0, maxCrons).flatMap((cron) => quietly(() => next(cron)) ?? []); // croner may not know it
  return times.length > 0 ? clockTime(Math.min(...times), nowMs) : crons[0];
}

/** Longest time for finding the repository, in milliseconds. The folder may be on a network drive that hangs. */
const findTimeoutMs = 300;
const gitFileBytes = 4096;

type PlaceContext = Pick<RunContext, "config" | "ports"> & {
  readonly alerts: Pick<RunContext["alerts"], "get" | "sessions">;
};

/**
 * Sets an event's project to the folder in which its session started, even if the agent has changed folders since.
 * Takes that folder from the agent's own variable, or else from the transcript, or else from the session's first event.
 */
export async function settleProject(
  event: AgentEvent,
  { work }: Pick<FoundFacts, "work">,
  context: PlaceContext,
): Promise<AgentEvent> {
  const alert = context.alerts.get(threadKey(event));
  const startFolder = event.projectDir ?? work?.startedIn ?? alert?.projectDir ?? event.cwd;
  if (startFolder === undefined) return event;
  const { files, clock } = context.ports;
  const known = alert?.projectDir === startFolder ? alert.place : undefined;
  const place = known ?? (await inTime(findPlace(startFolder, files), findTimeoutMs, clock));
  const { folder, worktree, realPath } = place ?? { folder: startFolder };
  const globs = context.config.routes.flatMap(({ projects }) => projects ?? []);
  const linked = await inTime(findLinkedPaths([realPath ?? startFolder, folder], globs, files), findTimeoutMs, clock);
  const paths = [folder, realPath, ...(linked ?? [])].filter((path) => path !== undefined && path !== startFolder);
  const otherPaths = paths.length > 0 ? (paths as string[]) : undefined;
  const name = disambiguate(folder, event, context);
  const project = worktree === undefined ? name : `${name} (${folderName(worktree)})`;
  return { ...event, project, projectDir: startFolder, ...omitUndefined({ place, otherPaths }) };
}

async function findPlace(startFolder: string, files: FilesPort): Promise<Place> {
  const real = await files.realPath(startFolder);
  const realPath = real === startFolder ? undefined : real;
  for (let root = startFolder; ; root = dirname(root)) {
    const git = join(root, ".git");
    const text = await files.readHead(git, gitFileBytes);
    const main = text === undefined ? undefined : await findMainCheckout(root, text, files);
    if (main !== undefined) return { folder: join(main, relative(root, startFolder)), worktree: root, realPath };
    const isRepository = text !== undefined || (await files.isFolder(git));
    if (isRepository || root === dirname(root)) return { folder: startFolder, realPath };
  }
}

/**
 * Finds the repository of a linked worktree: the main checkout or, if the repository is bare, its folder; or the folder
 * around it if its name is hidden, such as `.bare`. Undefined for submodules and repositories of their own.
 * @see https://git-scm.com/docs/gitrepository-layout
 */
async function findMainCheckout(root: string, gitFile: string, files: FilesPort): Promise<string | undefined> {
  const [, path = "", name = ""] = /^gitdir: *(.+)[\\/]worktrees[\\/]([^\\/\n]+?)\s*$/m.exec(gitFile) ?? [];
  if (name === "" || (await files.isFolder(join(resolve(root, path), "worktrees", name, "objects")))) return undefined;
  const repository = resolve(root, path);
  return basename(repository).startsWith(".") ? dirname(repository) : repository.replace(/(?<=[^\\/])\.git$/, "");
}

/**
 * Finds the paths of folders through links that the user's globs lead through: for `~/code/shop/**`, if `~/code/shop` is
 * a link, and for `~/code/*`, if it contains a link.
 * @param folders real paths
 */
async function findLinkedPaths(
  folders: readonly string[],
  globs: readonly string[],
  files: FilesPort,
): Promise<readonly string[]> {
  const bases = globs.map((glob) => expandHome(`${picomatch.scan(glob, { unescape: true }).base}/`));
  const starts = [...new Set(bases.filter(isAbsolute).map((base) => resolve(base)))];
  const links = starts.map(async (start) => (await files.listLinks(start)).map((name) => join(start, name)));
  const candidates = [...starts, ...(await Promise.all(links)).flat()];
  const found = candidates.map(async (path) => {
    const real = (await files.realPath(path)) ?? path;
    const below = real === path ? [] : folders.map((folder) => relative(real, folder));
    return below.filter((rest) => !/^\.\.(?:[\\/]|$)/.test(rest) && !isAbsolute(rest)).map((rest) => join(path, rest));
  });
  return (await Promise.all(found)).flat();
}

/** Returns a folder's name, with its parent's name in front if another open session's project has the same name. */
function disambiguate(folder: string, event: AgentEvent, { alerts }: PlaceContext): string {
  const name = folderName(folder);
  const key = threadKey(event);
  const isOpenHere = ({ lastEvent, isRelayed, sessionId }: Session) =>
    lastEvent !== "SessionEnd" && !isRelayed && !isSampleSession(sessionId);
  const hasSameName = ({ key: other, projectDir = folder }: Session) =>
    other !== key && projectDir !== folder && folderName(projectDir) === name;
  return alerts.sessions().some((session) => isOpenHere(session) && hasSameName(session))
    ? `${folderName(dirname(folder))}/${name}`
    : name;
}

/** Arguments that mark most headless runs. Droid's terminal program also starts its turns with `droid exec`. */
const headlessArguments = new Set(["-p", "--print", "--prompt", "exec"]);

/** Arguments that mark a server, which starts sessions of its agent for other programs. */
const serverArguments = new Set(["app-server", "daemon", "remote-control", "serve"]);

/** Longest time by which a process seems to have started after an event that it caused: 1 s. A later one reuses its id. */
const maxStartDelayMs = 1_000;

/** Process of an agent or an editor among the processes that called a hook. */
type HostProcess = NonNullable<ReturnType<typeof findHost>>;

/**
 * True for an event of a headless run that another agent, which is still running, has started, such as `claude -p` in a
 * hook. False if a user's app hosts the session, or if an editor or a server of the same agent is between the two. Works
 * only on Linux, where the callers of a hook are known. Variables such as `CLAUDECODE` prove nothing, because every
 * process that an agent ever started inherits them.
 */
export function isInsideRunningAgent(event: AgentEvent, { work }: FoundFacts): boolean {
  const chain = (event.callers ?? []).map(([pid, name]) => findHost(pid, name, event.atMs));
  const start = chain.findIndex((caller) => caller?.agent === event.agent);
  if (start < 0 || work?.origin === "app") return false;
  const ownRun = chain.slice(start, findRunEnd(chain, start)).filter((caller) => caller !== undefined);
  const outer = chain.slice(start + ownRun.length).find((caller) => caller !== undefined);
  if (outer?.agent === undefined || !outer.isAlive) return false;
  if ([...ownRun, outer].some(({ agent, isServer }) => isServer && agent === event.agent)) return false;
  const hasTerminal = ({ pid, isAlive }: HostProcess) => isAlive && (findProcess(pid)?.terminalDevice ?? 0) !== 0;
  return work?.origin === "program" || !ownRun.some(hasTerminal);
}

/**
 * Finds the index after the last process of an agent's run in the chain of callers. The processes of a run have started
 * each other directly. If a process has a headless argument and its parent has none, the parent belongs to another run.
 */
function findRunEnd(chain: readonly (HostProcess | undefined)[], start: number): number {
  let end = start + 1;
  const isSameRun = (inner: HostProcess | undefined, outer: HostProcess | undefined) =>
    inner !== undefined &&
    outer !== undefined &&
    outer.agent === inner.agent &&
    (outer.isHeadless || !inner.isHeadless);
  while (isSameRun(chain[end - 1], chain[end])) end += 1;
  return end;
}

/**
 * Returns the agent or editor that a caller is, recognized by its name or, while it is running, by its command line;
 * undefined for any other program. An editor has no `agent`.
 */
function findHost(pid: number, name: string, atMs: number) {
  const running = findProcess(pid);
  const isAlive = running !== undefined && running.name === name && startTimeMs(running) <= atMs + maxStartDelayMs;
  const [program = "", ...args] = isAlive ? (readQuietly(`/proc/${pid}/cmdline`) ?? "").split("\0") : [];
  const isInterpreter = interpreters.has(name) || interpreters.has(basename(program));
  const names = isInterpreter ? [basename(args[0] ?? "")] : [name, basename(program)];
  const owner = findProgramOwner(names, program);
  if (owner === undefined) return undefined;
  const has = (marks: ReadonlySet<string>) => args.some((argument) => marks.has(argument));
  return { pid, ...owner, isHeadless: has(headlessArguments), isServer: has(serverArguments), isAlive };
}
