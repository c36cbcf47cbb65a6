import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startSshServer } from "../../relay/ssh-server.ts";
import { builtCli } from "../../world/cli-home.ts";
import { createHome, type Home } from "../../world/home.ts";
import { createUsers, type TwoUsers } from "../../world/two-users.ts";
import { keys, openTerminal } from "../terminal.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig({ notifiers: {}, lookups: [] });
});
afterEach(() => home.remove());

let users: TwoUsers;
beforeAll(() => {
  users = createUsers();
});
afterAll(() => users.remove());

const escapeKey = "\u001b";
const suspend = "\u001a";
const { enter } = keys;

/** An interactive shell at a terminal, in which `b` is `beckon run --`. */
function openShell() {
  const { root } = home.paths;
  writeFileSync(
    join(root, "bashrc"),
    `PS1='[$?]> '; PATH=${root}:$PATH
`,
  );
  const start = `#!/bin/sh
exec '${process.execPath}' '${builtCli}' run -- "$@"
`;
  writeFileSync(join(root, "b"), start, { mode: 0o700 });
  const rcfile = ["--noprofile", "--rcfile", join(root, "bashrc")];
  return openTerminal(["bash", ...rcfile, "-i"], { ...home.env, HISTFILE: "" }, root);
}

test("vim draws, stops with Ctrl-Z, comes back with fg and writes its file", async () => {
  const shell = openShell();
  await shell.answer("]>", `b vim -u NONE -N --cmd 'set showmode' text${enter}`);
  await shell.answer("text", "ihello");
  await shell.answer("hello", escapeKey, suspend);
  await shell.answer("Stopped", `fg${enter}`);
  await shell.answer("hello", "A world", escapeKey, `:wq${enter}`);
  await shell.answer("[0]>", `exit${enter}`);
  await shell.ended;
  expect(readFileSync(join(home.paths.root, "text"), "utf8")).toBe("hello world\n");
});

test("ssh has its terminal, sends Ctrl-C to the other end, stops with ~^Z and passes on 255", async () => {
  const user = users.renew().bob;
  const server = await startSshServer(user, mkdtempSync(join(tmpdir(), "beckon-run-ssh-")));
  const ssh = server.command.slice(0, -1).join(" ");
  const shell = openShell();
  const remote = 'trap "echo caught" INT; tty; until read line && test "$line" = end; do :; done';
  await shell.answer("]>", `b ${ssh} -t devbox '${remote}'${enter}`);
  await shell.answer("/dev/pts/", keys.interrupt);
  await shell.answer("caught", enter, `~${suspend}`);
  await shell.answer("Stopped", `fg${enter}`);
  await shell.answer("b ssh", `end${enter}`);
  await shell.answer("closed");
  await shell.answer("]>", `b ${ssh} -p 1 devbox${enter}`);
  await shell.answer("[255]>", `exit${enter}`);
  await shell.ended;
  await server.stop();
});
