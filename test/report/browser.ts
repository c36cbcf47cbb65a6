import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Starts this machine's Chromium without a window. */
export function startChromium(): Promise<Browser> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const programs = folders.flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name)));
  const executablePath = programs.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("there is no chromium on PATH; scripts/install-real.sh installs it");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
