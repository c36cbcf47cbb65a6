import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../../../core/errors.ts";
import type { ExecPort } from "../../../core/ports.ts";
import { resolveProgram } from "../../../io/which.ts";
import { type Check, check, fail, type Observation, ok, warn } from "./check.ts";

const oldestNode = 20;
const nodeTimeoutMs = 5_000;
const reinstall = "beckon install";
const rerecord = "`beckon upgrade` records the Node it runs with.";

/** The Node that the installer recorded can run the worker. */
const recordedNode = check("node for the worker", async ({ paths, ports }) => {
  const file = readBytes(paths.nodeRecord)?.toString("utf8").split("\n")[0]?.trim();
  if (!file) return fail(`${paths.nodeRecord} is missing or empty`, existsSync(paths.worker) ? rerecord : reinstall);
  if (!resolveProgram(file))
    return fail(`${file} does not exist or is not executable${fallback(ports.exec)}`, rerecord);
  const version = await versionOf(file, ports.exec);
  if (version === undefined) return fail(`${file} does not run`, `Try: ${file} --version. ${rerecord}`);
  if (Number.parseInt(version.slice(1), 10) >= oldestNode) return ok(`${file} ${version}`);
  return fail(`${file} is ${version}`, `Install Node ${oldestNode} or newer. ${rerecord}`);
});

/** A version manager removes a Node together with its version; the launcher then takes the one on the agent's PATH. */
function fallback(exec: ExecPort): string {
  const node = exec.which("node");
  return node === undefined ? ": events wait in the spool" : `; meanwhile the worker runs with ${node}`;
}

/** There is a Node on PATH, which the launcher uses when the recorded one is gone. */
const nodeOnPath = check("node on PATH", ({ ports }) => {
  const file = ports.exec.which("node");
  if (file) return ok(file);
  return warn("none", "If the recorded Node is removed, no worker can start. Put a Node on PATH.");
});

/** The launcher is that of the installed app, and executable. */
const launcher = check("launcher", ({ paths, environment }) => {
  if (environment.platform === "win32") return ok("not used on Windows");
  const installed = readBytes(paths.launcher);
  if (!installed) return fail(`${paths.launcher} is missing: hooks do nothing`, reinstall);
  if (!resolveProgram(paths.launcher)) {
    return fail(`${paths.launcher} is not executable: hooks do nothing`, `chmod 700 ${paths.launcher}`);
  }
  const original = readBytes(join(paths.app, "dist", "hooks", "hook.sh"));
  if (original && installed.equals(original)) return ok(paths.launcher);
  return warn(`${paths.launcher} differs from the one in ${paths.app}`, reinstall);
});

/** The worker's program exists. */
const worker = check("worker program", ({ paths }) => {
  if (readBytes(paths.worker)) return ok(paths.worker);
  return fail(`${paths.worker} is missing: events wait in the spool`, reinstall);
});

/** The shell that runs the launcher. */
const sh = shellTool("sh", () => fail("missing: no hook can run", "Install a POSIX shell."));

/** The launcher reads under a deadline with it. */
const timeout = shellTool("timeout", () => {
  const effect = "hooks wait as long as the agent keeps their standard input open";
  return warn(`missing: ${effect}`, "Install GNU coreutils.");
});

/** The launcher starts the worker in a session of its own with it. */
const setsid = shellTool("setsid", (exec) => {
  if (exec.driver("perl") !== undefined) return ok("perl is used instead");
  const effect = "when an agent is killed, the worker may be killed with it";
  return warn(`missing: ${effect}`, "Install util-linux, or perl.");
});

/** A program that the launcher uses is on PATH. There is no launcher on Windows. */
function shellTool(program: string, observeMissing: (exec: ExecPort) => Observation): Check {
  return check(program, ({ ports: { exec }, environment }) => {
    if (environment.platform === "win32") return undefined;
    return exec.driver(program) === undefined ? observeMissing(exec) : ok("found");
  });
}

async function versionOf(file: string, exec: ExecPort): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await exec.run({ file, args: ["--version"], timeoutMs: nodeTimeoutMs });
    return exitCode === 0 ? /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0] : undefined;
  } catch (error) {
    if (error instanceof DeliveryError) return undefined; // no program, or one that hangs
    throw error;
  }
}

function readBytes(file: string): Buffer | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : undefined;
}

/** Checks of the programs that hooks and worker need. */
export const programChecks: readonly Check[] = [recordedNode, nodeOnPath, launcher, worker, sh, timeout, setsid];
