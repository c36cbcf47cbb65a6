import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config, Finding } from "../config/config.ts";
import { effectiveConfig } from "../config/effective-config.ts";
import { loadConfig } from "../config/load.ts";
import { errnoOf } from "../core/errors.ts";
import { findUp } from "../core/find-up.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";

/** `beckon config path`: where the configuration is, or would be. */
export async function runConfigPath(_options: object, { paths, print }: CliContext): Promise<number> {
  print(paths.config);
  return 0;
}

/** `beckon config show`: the configuration that holds, as JSON, without secrets. */
export async function runConfigShow(_options: object, { paths, print, printError }: CliContext): Promise<number> {
  const config = await loadConfig(paths.config);
  print(JSON.stringify(await effectiveConfig(config), null, 2));
  const errors = countErrors(config);
  if (errors > 0) printError(`${errors} of its parts do not count: \`beckon config check\` says why.`);
  return 0;
}

/** `beckon config check`: what is wrong with the file, and where; exit code 1 on errors. */
export async function runConfigCheck(_options: object, context: CliContext): Promise<number> {
  const { paths, print, colors } = context;
  const config = await loadConfig(paths.config);
  for (const finding of config.findings) for (const line of describeFinding(finding, context)) print(line);
  if (config.findings.length === 0) print(`${colors.green("✓")} ${paths.config}: nothing to complain about`);
  return countErrors(config) > 0 ? 1 : 0;
}

/** `beckon config init`: a commented configuration to start from, and the schema that editors complete it with. */
export async function runConfigInit(_options: object, { paths, print }: CliContext): Promise<number> {
  const templates = templatesFolder();
  mkdirSync(dirname(paths.config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.config, readFileSync(join(templates, "config.jsonc")), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new CommandError(`${paths.config} is there already and stays as it is`, "Move it away to start anew.");
  }
  writeFileSync(paths.configSchema, readFileSync(join(templates, "config.schema.json")), { mode: 0o600 });
  print(`Wrote ${paths.config}\nEverything in it is commented out: the defaults hold. Then: beckon config check`);
  return 0;
}

/** `file:line:column level path: message`, the hint below. */
function describeFinding({ level, path, line, column, message, hint }: Finding, { paths, colors }: CliContext) {
  const place = [paths.config, line, column].filter((part) => part !== undefined).join(":");
  const paint = level === "error" ? colors.red : colors.yellow;
  const text = `${place} ${paint(level)} ${path === "" ? "" : `${path}: `}${message}`;
  return hint === undefined ? [text] : [text, `  ${hint}`];
}

function countErrors({ findings }: Config): number {
  return findings.filter(({ level }) => level === "error").length;
}

function templatesFolder(): string {
  const found = findUp(import.meta.url, "templates/config.jsonc");
  if (found !== undefined) return dirname(found);
  throw new CommandError("beckon's templates are not beside its program", "Install it again: `beckon install`.");
}
