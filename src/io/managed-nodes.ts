import { join } from "node:path";
import { listQuietly } from "../files/read-file.ts";
import { compareVersions } from "../text/version.ts";
import { resolveProgram } from "./which.ts";

/** Version manager, with the folders that contain Node versions, and the path of Node inside a version's folder. */
interface Manager {
  readonly name: string;
  folders(home: string, env: NodeJS.ProcessEnv): readonly (string | undefined)[];
  readonly program: string;
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
    program: join("bin", "node"),
  },
  {
    name: "asdf",
    folders: (home, env) =>
      [env["ASDF_DATA_DIR"], join(home, ".asdf")].map((dir) => joinIfSet(dir, "installs", "nodejs")),
    program: join("bin", "node"),
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
    program: join("bin", "node"),
  },
  {
    name: "nvm",
    folders: (home, env) => [env["NVM_DIR"], join(home, ".nvm")].map((folder) => joinIfSet(folder, "versions", "node")),
    program: join("bin", "node"),
  },
];

/** Finds each version manager's newest Node, if it is at least as new as `oldest`. Newest first. */
export function findManagedNodes(home: string, env: NodeJS.ProcessEnv, oldest: string) {
  const found = managers.flatMap(({ name, folders, program }) => {
    const versions = folders(home, env).flatMap((folder) => (folder ? versionsIn(folder, program) : []));
    const [newest] = versions.filter(({ version }) => compareVersions(version, oldest) >= 0).sort(byVersion);
    return newest ? [{ manager: name, ...newest }] : [];
  });
  return found.sort(byVersion).map(({ manager, file }) => ({ manager, file }));
}

interface Version {
  readonly version: string;
  readonly file: string;
}

/** Lists the versions in a folder that contain `program`. Leaves out aliases, such as `lts`, which are links. */
function versionsIn(folder: string, program: string): Version[] {
  const names = listQuietly(folder).filter((name) => /^v?\d+\.\d+\.\d+$/.test(name));
  return names.flatMap((name) => {
    const file = resolveProgram(join(folder, name, program));
    return file === undefined ? [] : [{ version: name, file }];
  });
}

function byVersion(a: Pick<Version, "version">, b: Pick<Version, "version">): number {
  return compareVersions(b.version, a.version);
}
