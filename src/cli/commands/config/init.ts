import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { readTemplate } from "../../../config/edit/store.ts";
import { CommandError, readErrno } from "../../../core/errors.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { shortPath } from "../../short-path.ts";

/** Runs `beckon config init`. */
export async function runConfigInit({ json }: { readonly json?: boolean }, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  initConfig(context);
  if (json) print(jsonLine({ file: paths.config, schemaFile: paths.configSchema }));
  else
    print(
      `Wrote ${shortPath(paths.config, environment)}\n` +
        "All its settings are commented out. Edit it, then run `beckon config check`.",
    );
  return 0;
}

/**
 * Writes the configuration, and the JSON schema for completion in editors.
 * @throws {CommandError} if the configuration exists
 */
export function initConfig({ paths, environment }: Pick<CliContext, "paths" | "environment">): void {
  requireOwnRoot({ paths });
  mkdirSync(dirname(paths.config), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(paths.config, readTemplate("config.jsonc"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (readErrno(error) !== "EEXIST") throw error;
    throw new CommandError(
      `${shortPath(paths.config, environment)} already exists`,
      "To start over, move it away first.",
    );
  }
  writeFileSync(paths.configSchema, readTemplate("config.schema.json"), { mode: 0o600 });
}
