import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../world/home.ts";
import { extras } from "../roots.ts";
import { type Check, isRoot } from "./check.ts";

/** Shell line that prints the name of the shell that is `sh`. */
const shells = "echo ${BASH_VERSION:+bash}${ZSH_VERSION:+zsh}${POSH_VERSION:+posh}${KSH_VERSION:+ksh}";
const saying = new Map(Object.entries({ bash: "bash", zsh: "zsh", posh: "posh", ksh93: "ksh", mksh: "ksh" }));

/** Check that runs first, because a root that differs from its description proves nothing. */
export const rootIsWhatItSays: Check = {
  name: "the root matches its description",
  isFor: isRoot,
  async run({ root }) {
    if (!root) return undefined;
    assert.equal(existsSync("/proc/self/stat"), root.hasProc);
    assert.notEqual(process.getuid?.(), 0);
    const found = extras.filter((name) =>
      ["/bin", "/usr/bin", ...(process.env["PATH"] ?? "").split(":")].some((folder) => existsSync(join(folder, name))),
    );
    assert.deepEqual(found, [...root.has].sort());
    assert.equal((await run("/bin/sh", ["-c", shells], "")).stdout.trim(), saying.get(root.sh) ?? "");
    return `Node ${process.versions.node}, ${readFileSync("/bin/sh").length} bytes of ${root.sh}`;
  },
};
