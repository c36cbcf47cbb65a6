import { beforeEach, expect, test } from "vitest";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";

const home = useCliHome();
beforeEach(() => {
  home.config({
    notifiers: { team: { type: "slack", url: "https://example.org/x" }, tower: { type: "desktop" } },
    service: { baseUrl: "https://api.example.org", apiKey: "k", profiles: { acme: { apiKey: "a" } } },
  });
  home.journal(
    { sessionId: "s-older", agent: "claude", project: "shop", status: "sent" },
    { sessionId: "s-newer", agent: "droid", project: "api", status: "sent" },
    { sessionId: "$(touch /tmp/x)", status: "sent" },
    { sessionId: "--failed", status: "sent" },
    { sessionId: "~root", status: "sent" },
  );
  home.addDeadLetter("event-0003");
  const alert = { sessionId: "s-waits", project: "shop", lastAtMs: Date.now() };
  writeAlerts(home, makeAlert({ ...alert, concerns: [concern("a", { atMs: Date.now() })] }));
});

async function complete(...words: string[]): Promise<string[]> {
  const { stdout, stderr } = await home.run(["completion", "words", "--", ...words]);
  expect(stderr).toBe("");
  return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

test.each<[string, string[], string[]]>([
  ["commands", ["un"], ["uninstall"]],
  ["subcommands", ["config", "re"], ["remove"]],
  ["commands two levels down", ["service", "sessions", "li"], ["list"]],
  ["options", ["log", "--fo"], ["--follow"]],
  ["choices of an option", ["log", "--kind", "f"], ["failed", "finished"]],
  ["agents", ["install", "--agent", "cl"], ["claude", "cline"]],
  ["more values of a repeatable option", ["uninstall", "--agent", "droid", "cla"], ["claude"]],
  ["an option after such values", ["uninstall", "--agent", "droid", "--pu"], ["--purge"]],
  ["notifiers, each of several", ["test", "team", "to"], ["tower"]],
  ["a notifier to be removed", ["config", "remove", "te"], ["team"]],
  ["types of notifier", ["config", "add", "tele"], ["telegram"]],
  ["sessions, newest first, with names safe for a shell and beckon", ["log", "--session", ""], ["s-newer", "s-older"]],
  ["notifiers and kinds of a message", ["send", "Backup done", "--to", "to"], ["tower"]],
  ["options of run", ["run", "--na"], ["--name"]],
  ["nothing for another command's words", ["run", "--", "git", "--"], []],
  ["profiles", ["service", "report", "--profile", "a"], ["acme"]],
  ["projects", ["log", "--project", "s"], ["shop"]],
  ["what waits, by id and project", ["seen", ""], ["s-waits", "shop"]],
  ["times", ["snooze", "3"], ["30m"]],
  ["dead events", ["retry", "ev"], ["event-00"]],
  ["shells", ["completion", "z"], ["zsh"]],
  ["nothing after all arguments", ["config", "path", "x", ""], []],
  ["nothing for an unknown kind of value", ["log", "--limit", ""], []],
])("completes %s", async (_, words, expected) => {
  expect(await complete(...words)).toEqual(expected);
});

test("without input every command is offered", async () => {
  expect(await complete("")).toEqual(expect.arrayContaining(["install", "config", "service", "completion"]));
});
