import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { readTemplate } from "../../../config/edit/read-template.ts";
import { CommandError, errnoOf } from "../../../core/errors.ts";
import type { CliContext } from "../../context.ts";

/** Runs `beckon config init`: writes the configuration and the JSON schema that editors complete it with. */
export async function initConfig({ paths, print }: CliContext): Promise<number> {
  requireOwnRoot({ paths });
  mkdirSync(dirname(paths.config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.config, readTemplate("config.jsonc"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new CommandError(`${paths.config} already exists; it was not changed`, "Move it away to start over.");
  }
  writeFileSync(paths.configSchema, readTemplate("config.schema.json"), { mode: 0o600 });
  print(`Wrote ${paths.config}\nEverything in it is commented out. Edit it, then run \`beckon config check\`.`);
  return 0;
}
