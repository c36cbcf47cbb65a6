import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../world/home.ts";
import { extras } from "../roots.ts";
import { assertSilent, type Check, isRoot, makeStop, telling, untilSent } from "./check.ts";
import { claudeSettings, type Machine } from "./machine.ts";

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

/** Settings that exist before beckon: with a comment, without a newline at the end, with CRLF. */
const settings: Readonly<Record<string, string>> = {
  [claudeSettings]: '{"model": "opus"}',
  [join(".factory", "settings.json")]: '{\r\n  // mine\r\n  "model": "größer"\r\n}\r\n',
};
const agents = ["--agent", "claude", "droid"];

const inHome = ({ userHome }: Machine, file: string) => join(userHome, file);
const contents = (machine: Machine) => Object.keys(settings).map((file) => readFileSync(inHome(machine, file), "utf8"));
const stamps = (machine: Machine) =>
  Object.keys(settings).map((file) => {
    const { ino, mtimeMs } = statSync(inHome(machine, file));
    return `${file} ${ino} ${mtimeMs}`;
  });

/** Check that runs next, because the other checks run the installed files. */
export const installs: Check = {
  name: "install writes the hooks and reports a sample event",
  async run(machine) {
    for (const [file, content] of Object.entries(settings)) {
      mkdirSync(dirname(inHome(machine, file)), { recursive: true });
      writeFileSync(inHome(machine, file), content);
    }
    mkdirSync(machine.home.paths.root, { recursive: true, mode: 0o700 });
    machine.home.writeConfig(telling(machine, {}, { for: "person" })); // samples go only to the user
    const { exitCode, stdout, stderr } = await machine.beckon("install", ...agents, "--yes");
    assert.equal(exitCode, 0, stdout + stderr);
    assert.match(stdout, /log +sent/);
  },
};

/** Checks that run last, because nothing is installed afterwards. */
export const uninstalls: readonly Check[] = [
  {
    name: "a second install writes nothing",
    async run(machine) {
      const before = stamps(machine);
      const { exitCode, stdout, stderr } = await machine.beckon("install", ...agents, "--yes");
      assert.equal(exitCode, 0, stdout + stderr);
      assert.deepEqual(stamps(machine), before);
    },
  },
  {
    name: "the installed command exits with 0 once beckon is gone",
    async run(machine) {
      const { root } = machine.home.paths;
      await machine.startAfresh(telling(machine));
      renameSync(root, `${root}.away`);
      try {
        const { exitCode, stdout } = await machine.fire("Stop", makeStop("gone"));
        assert.deepEqual({ exitCode, stdout }, { exitCode: 0, stdout: "" });
      } finally {
        renameSync(`${root}.away`, root);
      }
      assertSilent(await machine.fire("Stop", makeStop("back")));
      await untilSent(machine, ["back"]);
    },
  },
  {
    name: "uninstall restores the bytes",
    async run(machine) {
      const { exitCode, stdout, stderr } = await machine.beckon("uninstall", ...agents, "--yes");
      assert.equal(exitCode, 0, stdout + stderr);
      assert.deepEqual(contents(machine), Object.values(settings));
    },
  },
];
