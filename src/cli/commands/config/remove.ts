import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ConfigRemove } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { removeNotifier } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";

/**
 * Runs `beckon config remove`: removes a notifier from the configuration, and the secrets that `config add` saved for
 * it. Returns exit code 0.
 * @throws {CommandError | SettingsError} if there is no such notifier, or the file cannot be changed
 */
export async function runConfigRemove(
  name: string,
  { json }: { readonly json?: boolean },
  context: CliContext,
): Promise<number> {
  const { paths, environment, print } = context;
  requireOwnRoot(context);
  const secrets: string[] = [];
  await editConfig(paths, (text) => {
    const after = removeNotifier(text, paths.config, name);
    // A file that the configuration still refers to stays.
    secrets.push(
      ...secretFilesIn(text, join(paths.root, "secrets", `${name}-`)).filter((file) => !after.includes(file)),
    );
    return after;
  });
  for (const file of secrets) rmSync(file, { force: true });
  const { routes, hasRoutes } = await loadConfig(paths.config);
  if (json) {
    const removed = { name, file: paths.config, secretFiles: secrets, hasRoutes: !hasRoutes || routes.length > 0 };
    print(jsonLine(removed satisfies ConfigRemove));
    return 0;
  }
  say(`Removed ${name} from ${shortPath(paths.config, environment)}`, context);
  for (const file of secrets) say(`Removed its secret, ${shortPath(file, environment)}`, context);
  if (hasRoutes && routes.length === 0)
    say("No routes are left, so nothing notifies you. To add one: beckon config edit", context);
  return 0;
}

/** Lists the files that a text refers to with `${file:…}` and whose paths begin with `start`. */
function secretFilesIn(text: string, start: string): string[] {
  return [...text.matchAll(/\$\{file:([^}"]+)\}/g)].flatMap(([, file]) => (file?.startsWith(start) ? [file] : []));
}
