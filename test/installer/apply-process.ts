import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

let program: Promise<string> | undefined;

/** Bundles `apply-once.ts` into one file, which starts quickly. */
async function bundle(): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), "beckon-apply-")), "apply-once.mjs");
  const entryPoints = [join(import.meta.dirname, "apply-once.ts")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", mainFields: ["module", "main"] });
  return outfile;
}

export interface ApplyRequest {
  readonly action: "install" | "uninstall";
  readonly root: string;
  readonly path: string;
  /** Name of the specimen; default: `some-wrapped`. */
  readonly specimen?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A shell line that sets limits for the process, e.g. `ulimit -f 8`. */
  readonly limit?: string;
}

/** Returns the program and its arguments. */
export async function applyCall({ action, root, path, specimen = "some-wrapped" }: ApplyRequest): Promise<string[]> {
  program ??= bundle();
  return [process.execPath, await program, action, root, path, specimen];
}

/** Installs or uninstalls in a separate process. `end` is its exit code or the signal that ended it. */
export async function applyInProcess(request: ApplyRequest) {
  const { env, limit } = request;
  const call = await applyCall(request);
  const args = ["-c", `${limit ?? ":"}; exec "$@"`, "sh", ...call];
  const child = spawn("sh", args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve(ended));
  });
  return { end: signal ?? code, stderr };
}
