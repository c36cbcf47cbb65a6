import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findManagedNodes } from "../../src/io/managed-nodes.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let home: string;
beforeEach(() => {
  home = freshFolder();
});

function addNode(path: string, mode = 0o755): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "", { mode });
  return file;
}

test("the Node of each version manager is found in its usual folder or its variable's", async () => {
  const rows = [
    ["mise", ".local/share/mise/installs/node/22.3.0/bin/node", undefined, ""],
    ["mise", "data/installs/node/22.3.0/bin/node", "MISE_DATA_DIR", "data"],
    ["mise", "xdg/mise/installs/node/22.3.0/bin/node", "XDG_DATA_HOME", "xdg"],
    ["asdf", ".asdf/installs/nodejs/22.3.0/bin/node", undefined, ""],
    ["asdf", "asdf/installs/nodejs/22.3.0/bin/node", "ASDF_DATA_DIR", "asdf"],
    ["fnm", ".local/share/fnm/node-versions/v22.3.0/installation/bin/node", undefined, ""],
    ["fnm", "fnm/node-versions/v22.3.0/installation/bin/node", "FNM_DIR", "fnm"],
    ["fnm", "Library/Application Support/fnm/node-versions/v22.3.0/installation/bin/node", undefined, ""],
    ["volta", ".volta/tools/image/node/22.3.0/bin/node", undefined, ""],
    ["volta", "volta/tools/image/node/22.3.0/bin/node", "VOLTA_HOME", "volta"],
    ["nvm", ".nvm/versions/node/v22.3.0/bin/node", undefined, ""],
    ["nvm", "nvm/versions/node/v22.3.0/bin/node", "NVM_DIR", "nvm"],
  ] as const;
  const check = ([manager, path, variable, folder]: (typeof rows)[number]) => {
    home = freshFolder();
    const file = addNode(path);
    const env = variable ? { [variable]: join(home, folder) } : {};
    expect(findManagedNodes(home, env, "20.9")).toEqual([{ manager, file }]);
  };
  expect(await collectFailures(rows, check)).toEqual([]);
});

test("the newest comes first, without outdated versions, non-programs and aliases", () => {
  const nvm = addNode(".nvm/versions/node/v20.9.0/bin/node");
  const mise = addNode(".local/share/mise/installs/node/20.10.1/bin/node");
  addNode(".nvm/versions/node/v20.8.0/bin/node");
  addNode(".asdf/installs/nodejs/18.20.0/bin/node");
  addNode(".nvm/versions/node/v24.0.0/bin/node", 0o644);
  symlinkSync(join(home, ".local/share/mise/installs/node/20.10.1"), join(home, ".local/share/mise/installs/node/lts"));
  expect(findManagedNodes(home, {}, "20.9")).toEqual([
    { manager: "mise", file: mise },
    { manager: "nvm", file: nvm },
  ]);
  expect(findManagedNodes(join(home, "nobody"), {}, "20.9")).toEqual([]);
});
