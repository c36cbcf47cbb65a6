import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { readTemplate } from "../../../config/edit/read-template.ts";
import { CommandError, readErrno } from "../../../core/errors.ts";
import type { CliContext } from "../../context.ts";

/** Runs `beckon config init`: writes the configuration, and the JSON schema for completion in editors. */
export async function initConfig({ paths, print }: CliContext): Promise<number> {
  requireOwnRoot({ paths });
  mkdirSync(dirname(paths.config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.config, readTemplate("config.jsonc"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (readErrno(error) !== "EEXIST") throw error;
    throw new CommandError(`${paths.config} already exists`, "To start over, move it away first.");
  }
  writeFileSync(paths.configSchema, readTemplate("config.schema.json"), { mode: 0o600 });
  print(`Wrote ${paths.config}\nAll its settings are commented out. Edit it, then run \`beckon config check\`.`);
  return 0;
}
