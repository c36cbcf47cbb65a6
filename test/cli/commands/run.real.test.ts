import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { startSshServer } from "../../relay/ssh-server.ts";
import { createUsers } from "../../world/two-users.ts";
import { useShared } from "../../world/use.ts";
import { useHome } from "../../world/use-home.ts";
import { keys, openShell } from "../terminal.ts";

const home = useHome();
beforeEach(() => {
  home.writeConfig({ notifiers: {}, lookups: [] });
});

const users = useShared("remove", createUsers);

const escapeKey = "\u001b";
const suspend = "\u001a";
const { enter } = keys;

test("vim draws, stops with Ctrl-Z, comes back with fg and writes its file", async () => {
  const shell = openShell(home);
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
  const shell = openShell(home);
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
