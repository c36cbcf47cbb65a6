import { join } from "node:path";
import { installPackage } from "../real-agents/install-agents.ts";
import versions from "./versions.json" with { type: "json" };

const nodes = new Map<string, Promise<string>>();

/** Returns the folder that holds `bin` of a Node in `versions.json`. Installs that Node on first use. */
export function installNode(key: string): Promise<string> {
  const known = nodes.get(key);
  if (known) return known;
  const pinned = versions[key as keyof typeof versions];
  // npm refuses a package for another system unless it is forced.
  const installing = installPackage(pinned, ["--force"]).then((it) => join(it.folder, "node_modules", pinned.package));
  nodes.set(key, installing);
  return installing;
}
