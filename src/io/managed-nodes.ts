import { join } from "node:path";
import { listQuietly } from "../files/read-file.ts";
import { compareVersions } from "../text/version.ts";
import { resolveProgram } from "./which.ts";

/** Version manager, with the folders that contain Node versions. */
interface Manager {
  readonly name: string;
  folders(home: string, env: NodeJS.ProcessEnv): readonly (string | undefined)[];
  /** Path of Node inside a version's folder, by default `bin/node`. */
  readonly program?: string;
}

const joinIfSet = (folder: string | undefined, ...parts: readonly string[]) => folder && join(folder, ...parts);

/** Version managers, with the folders that their documentation names. */
const managers: readonly Manager[] = [
  {
    name: "mise",
    folders: (home, env) => [
      joinIfSet(env["MISE_DATA_DIR"], "installs", "node"),
      joinIfSet(env["XDG_DATA_HOME"], "mise", "installs", "node"),
      join(home, ".local", "share", "mise", "installs", "node"),
    ],
  },
  {
    name: "asdf",
    folders: (home, env) =>
      [env["ASDF_DATA_DIR"], join(home, ".asdf")].map((dir) => joinIfSet(dir, "installs", "nodejs")),
  },
  {
    name: "fnm",
    folders: (home, env) =>
      [
        env["FNM_DIR"],
        joinIfSet(env["XDG_DATA_HOME"], "fnm"),
        join(home, ".local", "share", "fnm"),
        join(home, "Library", "Application Support", "fnm"),
        join(home, ".fnm"),
      ].map((folder) => joinIfSet(folder, "node-versions")),
    program: join("installation", "bin", "node"),
  },
  {
    name: "volta",
    folders: (home, env) => [joinIfSet(env["VOLTA_HOME"] ?? join(home, ".volta"), "tools", "image", "node")],
  },
  {
    name: "nvm",
    folders: (home, env) => [env["NVM_DIR"], join(home, ".nvm")].map((folder) => joinIfSet(folder, "versions", "node")),
  },
];

/** Finds each version manager's newest Node, if it is at least as new as `oldest`. Newest first. */
export function findManagedNodes(home: string, env: NodeJS.ProcessEnv, oldest: string) {
  const found = managers.flatMap(({ name, folders, program = join("bin", "node") }) => {
    const versions = folders(home, env).flatMap((folder) => (folder ? versionsIn(folder, program) : []));
    const [newest] = versions.filter(({ version }) => compareVersions(version, oldest) >= 0).sort(byVersion);
    return newest ? [{ manager: name, ...newest }] : [];
  });
  return found.sort(byVersion).map(({ manager, file }) => ({ manager, file }));
}

/** Lists the versions in a folder that contain `program`. Leaves out aliases, such as `lts`, which are links. */
function versionsIn(folder: string, program: string) {
  const names = listQuietly(folder).filter((name) => /^v?\d+\.\d+\.\d+$/.test(name));
  return names.flatMap((name) => {
    const file = resolveProgram(join(folder, name, program));
    return file === undefined ? [] : [{ version: name, file }];
  });
}

function byVersion(a: { readonly version: string }, b: { readonly version: string }): number {
  return compareVersions(b.version, a.version);
}
