import { expect, test } from "vitest";
import { collectFailures } from "../world/collect-failures.ts";
import { run } from "../world/home.ts";
import { createUsers } from "../world/two-users.ts";
import { useShared } from "../world/use.ts";

/** User id without an entry in passwd, as in containers. */
const uid = 54_321;

const users = useShared("remove", createUsers);

const beckon = (command: string, env: NodeJS.ProcessEnv) =>
  run(users.node, [`${users.package}/dist/cli.js`, ...command.split(" ")], "", {
    uid,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", ...env },
  });

test("without HOME and without a passwd entry every command says in two lines to set HOME", async () => {
  const expected = `beckon: HOME is not set, and user ${uid} has no entry in /etc/passwd\n  Set HOME to your home folder.\n`;
  const check = async (command: string) => {
    for (const env of [{}, { HOME: "" }, { HOME: "relative" }]) {
      expect(await beckon(command, env)).toMatchObject({ exitCode: 1, stdout: "", stderr: expected });
    }
  };
  expect(await collectFailures(["status", "doctor", "install --yes", "config check", "--version"], check)).toEqual([]);
});

test("with HOME a user without a passwd entry is like any other", async () => {
  expect(await beckon("status", { HOME: users.package })).toMatchObject({ exitCode: 0, stderr: "" });
  const { stderr } = await beckon("relay up --listen 127.0.0.1:4998", { HOME: users.package });
  expect(stderr).toContain("beckon is not installed on this machine");
});
