import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DeliveryError } from "../../../core/errors.ts";
import { type Check, fail, ok, type Scene, warn } from "./check.ts";

const oldestNode = 20;
const nodeTimeoutMs = 5_000;
const reinstall = "beckon install";
const renew = "`beckon upgrade` writes down the Node it runs with.";

/** The Node that the installer wrote down runs the worker. */
export const recordedNode: Check = async ({ paths, ports }) => {
  const name = "node for the worker";
  const file = readFirstLine(paths.nodeRecord);
  if (!file) return [fail(name, `${paths.nodeRecord} names none`, renew)];
  if (!isExecutable(file))
    return [fail(name, `${file} is not there any more, or is no program${fallback(ports)}`, renew)];
  const version = await versionOf(file, ports);
  if (version === undefined) return [fail(name, `${file} does not run`, `Try it: ${file} --version. Then: ${renew}`)];
  if (Number.parseInt(version.slice(1), 10) >= oldestNode) return [ok(name, `${file} ${version}`)];
  return [fail(name, `${file} is ${version}`, `Install Node ${oldestNode} or newer, then: ${renew}`)];
};

/** A version manager removes a Node together with its version; the launcher then takes the one on the agent's PATH. */
function fallback({ exec }: Scene["ports"]): string {
  const node = exec.which("node");
  return node === undefined ? ": events wait in the spool" : `; until then hooks make do with ${node}`;
}

/** What the launcher falls back on when the recorded Node is gone. */
export const nodeOnPath: Check = ({ ports }) => {
  const file = ports.exec.which("node");
  const name = "node on PATH";
  if (file) return [ok(name, file)];
  return [warn(name, "none", "Only the recorded Node can run the worker. Put a Node of your own on PATH.")];
};

/** The launcher is the one that belongs to the app, and may be run. */
export const launcher: Check = ({ paths, place }) => {
  const name = "launcher";
  if (place.platform === "win32") return [ok(name, "not used on Windows")];
  const own = readBytes(paths.launcher);
  if (!own) return [fail(name, `${paths.launcher} is missing: hooks do nothing`, reinstall)];
  if (!isExecutable(paths.launcher)) {
    return [fail(name, `${paths.launcher} is not executable: hooks do nothing`, `chmod 700 ${paths.launcher}`)];
  }
  const original = readBytes(join(paths.app, "dist", "hooks", "hook.sh"));
  if (original && own.equals(original)) return [ok(name, paths.launcher)];
  return [warn(name, `${paths.launcher} is not the one that belongs to ${paths.app}`, reinstall)];
};

/** The worker's program. */
export const worker: Check = ({ paths }) => {
  if (readBytes(paths.worker)) return [ok("worker program", paths.worker)];
  return [fail("worker program", `${paths.worker} is missing: events wait in the spool`, reinstall)];
};

/** What the launcher uses to read with a deadline and to start the worker apart from the agent. */
export const shellTools: Check = ({ ports, place }) => {
  if (place.platform === "win32") return [];
  const has = (program: string): boolean => ports.exec.which(program) !== undefined;
  return [
    has("sh") ? ok("sh", "there") : fail("sh", "missing: no hook can run", "Install a POSIX shell."),
    has("timeout")
      ? ok("timeout", "there")
      : warn("timeout", "missing: an agent that does not close its end is waited for", "Install GNU coreutils."),
    has("setsid") || has("perl")
      ? ok("setsid", has("setsid") ? "there" : "perl takes its place")
      : warn("setsid", "missing: a worker may die together with its agent", "Install util-linux, or perl."),
  ];
};

async function versionOf(file: string, ports: Scene["ports"]): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await ports.exec.run({ file, args: ["--version"], timeoutMs: nodeTimeoutMs });
    return exitCode === 0 ? /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0] : undefined;
  } catch (error) {
    if (error instanceof DeliveryError) return undefined; // no program, or one that hangs
    throw error;
  }
}

function readFirstLine(file: string): string | undefined {
  return readBytes(file)?.toString("utf8").split("\n")[0]?.trim();
}

function readBytes(file: string): Buffer | undefined {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing, or not ours to run
  }
}

/** All checks of programs. */
export const programChecks: readonly Check[] = [recordedNode, nodeOnPath, launcher, worker, shellTools];
