import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../../src/agents/registry.ts";
import { isOwnFile } from "../../src/installer/own-files.ts";
import { home, project, type RealAgent } from "./agents/agent.ts";

/** Faults of an installation that an agent must not notice. */
export const damages = ["beckon is gone", "its file does not load", "its file fails"] as const;
export type Damage = (typeof damages)[number];

const beckon = join(home, ".beckon");

/** Damages the installation in the sandbox. Returns a function that undoes what hides the journal. */
export function damageInstallation(damage: Damage, agent: RealAgent): () => void {
  if (damage === "beckon is gone") {
    renameSync(beckon, `${beckon}-gone`);
    return () => renameSync(`${beckon}-gone`, beckon);
  }
  for (const path of ownFiles(agent)) {
    const text = readFileSync(path, "utf8");
    const noShell = text.replace(/^#!.*/, "#!/no/such/shell");
    const unloadable = noShell === text ? `${text}\nthrow new Error("broken");\n` : noShell;
    writeFileSync(path, damage === "its file fails" ? failing(text) : unloadable);
  }
  return () => {};
}

/** The agent's files that only beckon writes. */
export function ownFiles({ name }: RealAgent): string[] {
  const environment = { home, project, env: process.env, platform: process.platform };
  const files = agents.find((agent) => agent.name === name)?.settings?.files("user", environment) ?? [];
  return files.filter((file) => isOwnFile(file) && existsSync(file.path)).map(({ path }) => path);
}

/** The text of a file whose handler of events throws, or whose script prints and fails. */
function failing(text: string): string {
  const isScript = text.startsWith("#!");
  const changed = isScript
    ? text.replace(/\n/, "\necho broken; echo broken >&2; exit 3\n")
    : text.replace(/^function handle\(.*\{$/m, (line) => `${line}\n  throw new Error("broken");`);
  if (changed === text) throw new Error("The file has no place for a fault.");
  return changed;
}
