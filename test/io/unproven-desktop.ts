import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { DesktopPort } from "../../src/core/ports.ts";
import { createDesktop } from "../../src/io/desktop.ts";
import { createExec } from "../../src/io/exec.ts";
import { stubPrograms } from "../world/stub-programs.ts";

/** Shared parts of every notification in these tests. */
export const request = {
  ...({ title: "shop needs you", body: "done", urgency: "normal" } as const),
  ...{ mask: (text: string) => text, signal: new AbortController().signal },
};

/** The programs of macOS, Windows and WSL as stubs, and the desktop port on them. */
export type UnprovenDesktop = Awaited<ReturnType<typeof unprovenDesktop>>;

export async function unprovenDesktop() {
  const stubs = stubPrograms();
  const child = join(stubs.folder, "node-notifier-child.cjs");
  const entry = join(import.meta.dirname, "../../src/io/node-notifier-child.ts");
  const form = { bundle: true, platform: "node", target: "node20", format: "cjs" } as const;
  await build({ ...form, entryPoints: [entry], outfile: child });
  // The same on a machine that claims to be a Mac.
  const macChild = join(stubs.folder, "mac-child.cjs");
  const pretend = `Object.assign(require("node:os"), { type: () => "Darwin", release: () => "24.1.0" });`;
  writeFileSync(macChild, `${pretend}\nrequire(${JSON.stringify(child)});\n`);
  const toaster = "vendor/snoreToast/snoretoast-x64.exe";
  const createDesktopPort = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}, runsIntel = true): DesktopPort => {
    const full = { ...stubs.env, XDG_RUNTIME_DIR: stubs.folder, ...env };
    const built = platform === "darwin" ? macChild : child;
    const options = { runsIntel, env: full, platform, child: built, vendor: join(stubs.folder, "vendor") };
    return createDesktop(createExec(full, []), options);
  };
  return {
    stubs,
    /** The built process around node-notifier. */
    child,
    createDesktopPort,
    notify: (platform: NodeJS.Platform, texts: object = {}, env?: NodeJS.ProcessEnv, icon?: string) =>
      createDesktopPort(platform, env).notify({ ...request, ...texts, ...(icon && { icon }) }),
    /** Adds SnoreToast. Returns its path. */
    addToaster(script: string) {
      mkdirSync(join(stubs.folder, "vendor", "snoreToast"), { recursive: true });
      return stubs.add(toaster, script);
    },
    toasterArgs: () => stubs.readArgs(toaster),
  };
}
