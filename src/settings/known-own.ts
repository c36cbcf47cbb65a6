import type { Paths } from "../core/paths.ts";
import { defaultRoot } from "../installer/agents/command-line.ts";
import { type OwnCommands, ownCommands } from "../installer/beckon-commands.ts";
import { allRecords } from "../installer/record.ts";

/** Everything this machine knows of our own commands: from the install records, this root and the default one. */
export async function knownOwn(paths: Pick<Paths, "state" | "launcher" | "app">, home: string): Promise<OwnCommands> {
  const records = await allRecords(paths);
  return ownCommands({
    commands: records.flatMap(({ entries }) => Object.values(entries).map(({ command }) => command)),
    roots: [{ launcher: paths.launcher, app: paths.app }, defaultRoot(home), ...records],
  });
}
