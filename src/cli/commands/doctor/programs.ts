import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { DeliveryError, readErrno } from "../../../core/errors.ts";
import type { ExecPort } from "../../../core/ports.ts";
import { quietly } from "../../../core/quietly.ts";
import { listQuietly, readQuietly } from "../../../files/read-file.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { findManagedNodes } from "../../../io/managed-nodes.ts";
import { resolveProgram } from "../../../io/which.ts";
import { readRecordFile } from "../../../spool/list.ts";
import { makeSpool } from "../../../spool/put.ts";
import { decodeRecord, inputEnd } from "../../../spool/record.ts";
import { compareVersions, oldestNode } from "../../../text/version.ts";
import { launcherObstacle } from "../../status/problems.ts";
import { type Check, type CheckContext, check, fail, type Observation, ok, warn } from "./check.ts";

const nodeTimeoutMs = 5_000;
const launcherTimeoutMs = 10_000;
const reinstall = "beckon install";
const recordNodeCure = "To record the Node you are using now: beckon upgrade";

/** Part of the context that these checks need. They run before the facts are collected. */
type Machine = Pick<CheckContext, "paths" | "ports" | "environment">;

/** Checks that the Node recorded at installation can run the worker. */
const recordedNode = check<Machine>("node for the worker", async (context) => {
  const { paths, ports, environment } = context;
  const { nodeLink, nodeRecord, worker } = paths;
  const isWindows = environment.platform === "win32";
  const file = isWindows ? readQuietly(nodeRecord)?.trim() : quietly(() => readlinkSync(nodeLink));
  const missingCure = existsSync(worker) ? recordNodeCure : reinstall;
  if (!file) return fail(`${nodeLink} is no link${describeFallback(ports.exec)}`, missingCure);
  if (!resolveProgram(file)) {
    const cure = managedNode(context)?.cure ?? recordNodeCure;
    return fail(`${file} does not exist or is not executable${describeFallback(ports.exec)}`, cure);
  }
  const version = await readNodeVersion(file, ports.exec);
  if (version === undefined) return fail(`${file} does not run`, `Try \`${file} --version\`. ${recordNodeCure}`);
  if (compareVersions(version, oldestNode) >= 0) return ok(`${file} ${version}`);
  return fail(`${file} is ${version}`, `Install Node ${oldestNode} or newer. ${recordNodeCure}`);
});

/** Describes what happens while the recorded Node is missing: the worker runs with the Node on PATH, or not at all. */
function describeFallback(exec: ExecPort): string {
  const node = exec.which("node");
  return node === undefined ? ": events wait in the spool" : `; meanwhile the worker runs with ${node}`;
}

/** Checks that PATH has a Node, which the launcher uses if the recorded Node is missing. */
const nodeOnPath = check<Machine>("node on PATH", (context) => {
  const file = context.ports.exec.which("node");
  if (file) return ok(file);
  const effect = "If the recorded Node is removed, the worker cannot start.";
  const managed = managedNode(context);
  if (!managed) return warn("none", `${effect} Add a Node to PATH.`);
  return warn(`none, but ${managed.manager} has ${managed.file}`, `${effect} Then: ${managed.cure}`);
});

/**
 * If PATH has no Node, finds one that a version manager installed, and the command that records it. Most version
 * managers do not add their Node to the PATH of desktop programs.
 */
function managedNode({ paths, environment, ports }: Machine) {
  if (ports.exec.which("node") !== undefined) return undefined;
  const [found] = findManagedNodes(environment.home, environment.env, oldestNode);
  return (
    found && { ...found, cure: `${shellWord(found.file)} ${shellWord(join(paths.app, "dist", "cli.js"))} upgrade` }
  );
}

/** Checks that the launcher runs and belongs to the installed app. */
const launcher = check<Machine>("launcher", async (context) => {
  const { paths, environment } = context;
  if (environment.platform === "win32") return ok("not used on Windows");
  const { launcher: file } = paths;
  const stats = existsSync(file) ? statSync(file) : undefined;
  if (!stats) return fail(`${file} is missing: hooks do nothing`, reinstall);
  if (!stats.isFile())
    return fail(`${file} is not a regular file: hooks do nothing`, `mv '${file}' '${file}.old' && ${reinstall}`);
  const obstacle = launcherObstacle(file);
  if (obstacle) return fail(obstacle.message, obstacle.cure);
  const problem = await tryLauncher(file, context);
  if (problem !== undefined) return fail(`${file} ${problem}: hooks do nothing`, reinstall);
  const original = readQuietly(join(paths.app, "dist", "hooks", "hook.sh"));
  if (original !== undefined && readQuietly(file) === original) return ok(file);
  return warn(`${file} differs from the one in ${paths.app}`, reinstall);
});

/** Runs a copy of the launcher as an agent does, in a folder of its own without a worker. Returns the problem, if any. */
async function tryLauncher(file: string, { paths, ports }: Machine): Promise<string | undefined> {
  const folder = quietly(() => mkdtempSync(join(paths.root, "check-")));
  if (folder === undefined) return undefined; // another check says that the folder is not writable
  try {
    const copy = join(folder, "hook");
    const spool = join(folder, "spool");
    cpSync(file, copy);
    makeSpool(spool);
    mkdirSync(join(folder, "app", "dist"), { recursive: true });
    // Without `timeout` and perl, the launcher leaves everything to these entrypoints.
    symlinkSync(join(paths.app, "dist", "hooks"), join(folder, "app", "dist", "hooks"));
    const problem = await runProgram(copy, ["Stop"], ports.exec, { input: "{}", timeoutMs: launcherTimeoutMs });
    if (typeof problem === "string") return problem;
    const stored = ["tmp", "new"].flatMap((name) =>
      listQuietly(join(spool, name)).map((file) => join(spool, name, file)),
    );
    const bytes = stored[0] === undefined ? undefined : readRecordFile(stored[0]);
    const record = bytes && decodeRecord(bytes);
    return record?.end === inputEnd.complete && record.payload.toString() === "{}" ? undefined : "stores no event";
  } catch (error) {
    if (!["ENOSPC", "EDQUOT"].includes(readErrno(error) ?? "")) throw error;
    return undefined; // another check says that the disk is full
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program that must exit with 0. Returns what it printed, or else the problem as a text. */
async function runProgram(
  file: string,
  args: readonly string[],
  exec: ExecPort,
  more: { input?: string; timeoutMs: number },
) {
  const env = { BECKON_DISABLE: "", BECKON_DEBUG: "1" };
  try {
    const { exitCode, stdout, stderr } = await exec.run({ file, args, env, ...more });
    const lines = stderr.split("\n").filter((line) => line.trim() !== "");
    const said = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines[0];
    return exitCode === 0 ? { stdout } : `exits with code ${exitCode}${said ? ` (${said})` : ""}`;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return error.reason === "timeout" ? "hangs" : `cannot be started: ${error.message}`;
  }
}

/** Checks that the worker program loads what it needs to deliver an event, beside a running worker too. */
const worker = check<Machine>("worker program", async ({ paths, ports }) => {
  if (!existsSync(paths.worker)) return fail(`${paths.worker} is missing: events wait in the spool`, reinstall);
  const result = await runProgram(process.execPath, [paths.worker, "--check"], ports.exec, {
    timeoutMs: nodeTimeoutMs,
  });
  const problem = typeof result === "string" ? result : result.stdout.trim() === "ok" ? undefined : "is incomplete";
  if (problem === undefined) return ok(paths.worker);
  return fail(`${paths.worker} ${problem}: events wait in the spool`, reinstall);
});

/** Checks that the launcher's shell exists. */
const sh = shellTool("sh", () => fail("missing: no hook can run", "Install a POSIX shell."));

/** Checks that `timeout` exists, with which the launcher limits the time of reading. */
const timeout = shellTool("timeout", () => {
  const effect = "hooks wait until the agent closes their standard input";
  return warn(`missing: ${effect}`, "Install GNU coreutils.");
});

/** Checks that `setsid` exists, with which the launcher starts the worker in a separate process session. */
const setsid = shellTool("setsid", (exec) => {
  if (exec.driver("perl") !== undefined) return ok("missing; perl is used instead");
  const effect = "when an agent is killed, the worker may be killed with it";
  return warn(`missing: ${effect}`, "Install util-linux, or perl.");
});

/** Creates a check that a program the launcher needs is on PATH. Windows has no launcher. */
function shellTool(program: string, observeMissing: (exec: ExecPort) => Observation): Check<Machine> {
  return check<Machine>(program, ({ ports: { exec }, environment }) => {
    if (environment.platform === "win32") return undefined;
    return exec.driver(program) === undefined ? observeMissing(exec) : ok("found");
  });
}

async function readNodeVersion(file: string, exec: ExecPort): Promise<string | undefined> {
  if (quietly(() => realpathSync(file)) === process.execPath) return process.version; // usually
  try {
    const { exitCode, stdout } = await exec.run({ file, args: ["--version"], timeoutMs: nodeTimeoutMs });
    return exitCode === 0 ? /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0] : undefined;
  } catch (error) {
    if (error instanceof DeliveryError) return undefined; // missing or hanging
    throw error;
  }
}

/** Checks of the programs that hooks and worker use. */
export const programChecks = [recordedNode, nodeOnPath, launcher, worker, sh, timeout, setsid];
