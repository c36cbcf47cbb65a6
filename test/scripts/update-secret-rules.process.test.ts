import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../world/fresh-folder.ts";
import { repository, run } from "../world/home.ts";

const gitleaks = `
[[rules]]
id = "lamp-token"
regex = '''\\b(lamp_[[:alnum:]]{20})(?:[\\x60'"\\s;]|\\\\[nr]|$)'''
keywords = ["lamp_"]
[[rules]]
id = "lamp-key"
regex = '''(?i)[\\w.-]{0,50}?(?:lamp|light)(?:[ \\t\\w.-]{0,20})[\\s'"]{0,3}(?:=|:)[\\x60'"\\s=]{0,5}([a-z0-9]{32})(?:[\\x60'"\\s;]|\\\\[nr]|$)'''
keywords = ["lamp", "light"]
`;

test("the script replaces the rules that the masking reads", async () => {
  const [root, checkout] = [freshFolder(), freshFolder()];
  const listed = execFileSync("git", ["ls-files", "*public-rules.json"], { cwd: repository, encoding: "utf8" });
  const [script, rules] = [join("scripts", "update-secret-rules.ts"), listed.trim()];
  for (const file of [script, rules, "package.json"]) cpSync(join(repository, file), join(root, file));
  mkdirSync(join(checkout, "config"));
  writeFileSync(join(checkout, "config", "gitleaks.toml"), gitleaks);
  writeFileSync(join(checkout, "LICENSE"), "MIT License\n");
  const program = ["--import", import.meta.resolve("tsx"), join(root, script), "v9.9.9", checkout];
  const ended = await run(process.execPath, program, "", { cwd: root, env: process.env });
  expect(ended).toMatchObject({ exitCode: 0, stderr: "", stdout: "1 forms and 1 names of 2 rules\n" });
  expect(JSON.parse(readFileSync(join(root, rules), "utf8"))).toEqual({
    source: "https://github.com/gitleaks/gitleaks/blob/v9.9.9/config/gitleaks.toml",
    fetched: expect.any(String),
    licence: "MIT License",
    forms: [["lamp_", "(lamp_[A-Za-z0-9]{20})", ""]],
    named: [["lamp light", "lamp|light", "[a-z0-9]{32}"]],
  });
});
