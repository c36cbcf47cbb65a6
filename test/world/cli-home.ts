import { createHash } from "node:crypto";
import fs, { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import picocolors from "picocolors";
import { onTestFinished } from "vitest";
import type { CliContext } from "../../src/cli/context.ts";
import { runCli } from "../../src/cli/program.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import type { RunState } from "../../src/pipeline/run-state.ts";
import { makeSpool, put } from "../../src/spool/put.ts";
import { encodeRecord } from "../../src/spool/record.ts";
import { dist, type HookResult, listSpool, run } from "./home.ts";
import { answer, silence, startHostileServer } from "./hostile-server.ts";
import { listen } from "./listen.ts";
import { useEach } from "./use.ts";

export const builtCli = join(dist, "cli.js");
const stopped = '{"hook_event_name":"Stop","session_id":"s-1","cwd":"/home/me/shop"}';

export type CliResult = Pick<HookResult, "exitCode" | "stdout" | "stderr">;

/** A user's home folder with a `.beckon` in it, both real and private to this test. */
export type CliHome = ReturnType<typeof createCliHome>;

/** Makes a home, by default among temporary files. */
export function createCliHome(home = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "beckon-cli-"))) {
  const project = join(home, "code", "shop");
  mkdirSync(project, { recursive: true });
  const paths = resolvePaths(join(home, ".beckon"));
  const { PATH, LANG } = process.env;
  const env: NodeJS.ProcessEnv = { PATH, LANG, HOME: home, BECKON_HOME: paths.root };
  const environment: CliContext["environment"] = { home, project, env, platform: process.platform };
  const write = (path: string, text: string, mode = 0o600): string => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode });
    return path;
  };
  return {
    home,
    project,
    paths,
    env,
    environment,
    /** Runs the command line in this process. */
    run: (args: readonly string[], changes?: Partial<CliContext>) => runHere(args, { paths, environment }, changes),
    /** Runs the built command line as a separate process. */
    async start(args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<CliResult> {
      const options = { cwd: project, env: { ...env, ...extra } };
      const { exitCode, stdout, stderr } = await run(process.execPath, [builtCli, ...args], "", options);
      return { exitCode, stdout, stderr };
    },
    write,
    config: (value: object | string) =>
      void write(paths.config, typeof value === "string" ? value : JSON.stringify(value)),
    /** Writes lines into the journal, in the file of their month. */
    journal(...lines: readonly (Partial<JournalLine> & Pick<JournalLine, "status">)[]) {
      for (const line of lines) {
        const whole = { at: new Date().toISOString(), id: "event-0001", ...line };
        mkdirSync(paths.journal, { recursive: true, mode: 0o700 });
        const file = join(paths.journal, `${whole.at.slice(0, 7)}.jsonl`);
        writeFileSync(file, `${JSON.stringify(whole)}\n`, { flag: "a", mode: 0o600 });
      }
    },
    /** Puts a fresh event into the spool. */
    fresh(id: string, payload = stopped, event = "Stop") {
      makeSpool(paths.spool);
      put(paths.spool, id, encodeRecord({ v: 1, event, agent: "droid" }, Buffer.from(payload)));
    },
    /** Adds an event to the dead letters, with or without a state. */
    addDeadLetter(id: string, state?: Partial<RunState>, payload = stopped) {
      makeSpool(paths.spool);
      const whole = state && { atMs: 1, freshAtMs: 1, kind: "finished", facts: {}, deliveries: {}, ...state };
      const header = { v: 1 as const, event: "Stop", agent: "droid", ...(whole && { state: whole }) };
      writeFileSync(join(paths.spool, "dead", `${id}.json`), encodeRecord(header, Buffer.from(payload)));
    },
    spooled: () => listSpool(paths.spool),
    // A stopping shell may still be writing there.
    remove: () => fs.promises.rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}

/** Gives each test of a file or a `describe` block a new home. */
export function useCliHome(makeFolder: () => string | undefined = () => undefined): CliHome {
  return useEach("remove", () => createCliHome(makeFolder()));
}

type Place = Pick<CliContext, "paths" | "environment">;

async function runHere(args: readonly string[], place: Place, changes: Partial<CliContext> = {}): Promise<CliResult> {
  const output = { stdout: "", stderr: "" };
  const writer = (name: keyof typeof output) => (text: string) => {
    output[name] += `${text}\n`;
  };
  const own = { ...makeContext(place), print: writer("stdout"), printError: writer("stderr") };
  return { exitCode: await runCli(args, { ...own, ...changes }), ...output };
}

/** Makes the context of a command in a home; its output is discarded. */
export function makeContext({ paths, environment }: Place): CliContext {
  return {
    paths,
    environment,
    print: () => undefined,
    printError: () => undefined,
    colors: picocolors.createColors(false),
    errorColors: picocolors.createColors(false),
    now: Date.now,
    interruption: () => new AbortController().signal,
  };
}

/** Starts a real web server for one test. Its address has no trailing slash. */
export async function serve(listener: RequestListener): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer(listener);
  const origin = `http://${await listen(server)}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { origin, close };
}

/** Starts a real web server for one test, which answers every request with one status, or never. */
export async function startReceiver(status: number | "never" = 200) {
  const { origin, requests, close } = await startHostileServer({ "*": status === "never" ? silence : answer(status) });
  onTestFinished(close);
  return {
    url: `${origin}/in`,
    get bodies() {
      return requests.map(({ body }) => body);
    },
    close,
  };
}

/** Computes a fingerprint of everything below a folder: names, modes and contents. */
export function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  if (!fs.existsSync(folder)) return "nothing";
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    hash.update(join(entry.parentPath, entry.name));
    if (entry.isFile()) hash.update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest("hex");
}
