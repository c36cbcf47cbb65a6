import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { builtCli, useCliHome } from "../../world/cli-home.ts";
import { openTerminal } from "../terminal.ts";

// The real shells, at a terminal, with the completions of a line.

const home = useCliHome();
beforeEach(() => {
  home.config({ notifiers: { team: { type: "slack", url: "https://example.org/x" } } });
  home.journal({ sessionId: "9c1f-session", agent: "claude", status: "sent" });
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "beckon"), `#!/bin/sh\nexec '${process.execPath}' '${builtCli}' "$@"\n`, { mode: 0o755 });
});

const starts = {
  bash: [["bash", "--norc", "--noprofile"], "source <(beckon completion bash)"],
  zsh: [["zsh", "-f"], "autoload -Uz compinit && compinit -u && source <(beckon completion zsh)"],
  fish: [["fish", "--no-config"], "beckon completion fish | source"],
} as const;

test.each(Object.entries(starts))(
  "%s completes commands, options, notifiers, agents and sessions",
  async (_, [shell, setUp]) => {
    const PATH = `${join(home.home, "bin")}:/usr/bin:/bin`;
    const env = { HOME: home.home, BECKON_HOME: home.paths.root, PATH, PS1: "> " };
    const terminal = openTerminal(shell, env, home.home);
    await terminal.answer("", `${setUp}; echo set"-"up`, "\r");
    await terminal.answer("set-up");
    for (const [typed, completed] of [
      ["beckon unin", "beckon uninstall "],
      ["beckon log --fol", "beckon log --follow"],
      ["beckon config remove te", "beckon config remove team"],
      ["beckon install --agent clau", "beckon install --agent claude"],
      ["beckon log --session 9c", "beckon log --session 9c1f-session"],
    ] as const) {
      await terminal.answer("", "\u0015", typed, "\t");
      await expect.poll(terminal.screen, { timeout: 20_000 }).toContain(completed);
    }
    await terminal.answer("", "\u0015", "exit", "\r");
    await terminal.ended;
  },
  120_000,
);
