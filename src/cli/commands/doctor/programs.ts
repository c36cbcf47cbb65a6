import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../../../core/errors.ts";
import type { ExecPort } from "../../../core/ports.ts";
import { quietly } from "../../../core/quietly.ts";
import { readQuietly } from "../../../files/read-file.ts";
import { shellWord } from "../../../installer/agents/command-line.ts";
import { findManagedNodes } from "../../../io/managed-nodes.ts";
import { resolveProgram } from "../../../io/which.ts";
import { compareVersions, oldestNode } from "../../../text/version.ts";
import { launcherObstacle } from "../../status/problems.ts";
import { type Check, type CheckContext, check, fail, type Observation, ok, warn } from "./check.ts";

const nodeTimeoutMs = 5_000;
/** Number of bytes of a recorded path that the launcher reads. */
const maxRecordBytes = 4_096;
const launcherTimeoutMs = 10_000;
const reinstall = "beckon install";
const recordNodeCure = "To record the Node you are using now: beckon upgrade";

/** Checks that the Node recorded at installation can run the worker. */
const recordedNode = check("node for the worker", async (context) => {
  const { paths, ports } = context;
  const file = readQuietly(paths.nodeRecord, "utf8", maxRecordBytes)?.split("\n")[0]?.trim();
  if (!file)
    return fail(`${paths.nodeRecord} is missing or empty`, existsSync(paths.worker) ? recordNodeCure : reinstall);
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
const nodeOnPath = check("node on PATH", (context) => {
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
function managedNode({ paths, environment, ports }: CheckContext) {
  if (ports.exec.which("node") !== undefined) return undefined;
  const [found] = findManagedNodes(environment.home, environment.env, oldestNode);
  return (
    found && { ...found, cure: `${shellWord(found.file)} ${shellWord(join(paths.app, "dist", "cli.js"))} upgrade` }
  );
}

/** Checks that the launcher runs and belongs to the installed app. */
const launcher = check("launcher", async ({ paths, environment, ports }) => {
  if (environment.platform === "win32") return ok("not used on Windows");
  const { launcher: file } = paths;
  const stats = existsSync(file) ? statSync(file) : undefined;
  if (!stats) return fail(`${file} is missing: hooks do nothing`, reinstall);
  if (!stats.isFile())
    return fail(`${file} is not a regular file: hooks do nothing`, `mv '${file}' '${file}.old' && ${reinstall}`);
  const obstacle = launcherObstacle(file);
  if (obstacle) return fail(obstacle.message, obstacle.cure);
  const problem = await runLauncher(file, ports.exec);
  if (problem !== undefined) return fail(`${file} ${problem}: hooks do nothing`, reinstall);
  const original = readQuietly(join(paths.app, "dist", "hooks", "hook.sh"));
  if (original !== undefined && readQuietly(file) === original) return ok(file);
  return warn(`${file} differs from the one in ${paths.app}`, reinstall);
});

/** Runs the launcher as an agent does, but disabled, so that it stores nothing. Returns the problem, if any. */
async function runLauncher(file: string, exec: ExecPort): Promise<string | undefined> {
  try {
    const env = { BECKON_DISABLE: "1", BECKON_DEBUG: "1" };
    const { exitCode, stderr } = await exec.run({
      file,
      args: ["Stop"],
      input: "{}",
      env,
      timeoutMs: launcherTimeoutMs,
    });
    if (exitCode === 0) return undefined;
    const [said] = stderr.split("\n");
    return `exits with code ${exitCode}${said ? ` (${said})` : ""}`;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return error.reason === "timeout" ? "hangs" : `cannot be started: ${error.message}`;
  }
}

/** Checks that the worker program exists. */
const worker = check("worker program", ({ paths }) => {
  if (readQuietly(paths.worker)) return ok(paths.worker);
  return fail(`${paths.worker} is missing: events wait in the spool`, reinstall);
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
function shellTool(program: string, observeMissing: (exec: ExecPort) => Observation): Check {
  return check(program, ({ ports: { exec }, environment }) => {
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
export const programChecks: readonly Check[] = [recordedNode, nodeOnPath, launcher, worker, sh, timeout, setsid];
