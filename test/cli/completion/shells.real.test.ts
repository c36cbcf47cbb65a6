import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtCli, useCliHome } from "../../world/cli-home.ts";
import { sleep } from "../../world/home.ts";

// The real shells, at a tmux terminal, with the completions of a line.

const home = useCliHome();
/** Number of tests so far. Each has its own tmux server, because a stopping server takes its time. */
let tests = 0;
let socket = "";
const tmux = (...args: string[]): string =>
  execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
const screen = (): string => tmux("capture-pane", "-p");

beforeEach(() => {
  tests += 1;
  socket = `beckon-shells-${process.pid}-${tests}`;
  home.config({ notifiers: { team: { type: "slack", url: "https://example.org/x" } } });
  home.journal({ sessionId: "9c1f-session", agent: "claude", status: "sent" });
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "beckon"), `#!/bin/sh\nexec '${process.execPath}' '${builtCli}' "$@"\n`);
  chmodSync(join(bin, "beckon"), 0o755);
});
afterEach(() => {
  spawnSync("tmux", ["-L", socket, "kill-server"]);
});

const starts = {
  bash: ["bash --norc --noprofile", "source <(beckon completion bash)"],
  zsh: ["zsh -f", "autoload -Uz compinit && compinit -u && source <(beckon completion zsh)"],
  fish: ["fish --no-config", "beckon completion fish | source"],
} as const;

async function shows(text: string | RegExp): Promise<void> {
  await expect.poll(screen, { timeout: 20_000 }).toMatch(text);
}

test.each(Object.entries(starts))(
  "%s completes commands, options, notifiers, agents and sessions",
  async (_, [shell, setUp]) => {
    const path = `${join(home.home, "bin")}:/usr/bin:/bin`;
    const environment = Object.entries({ HOME: home.home, BECKON_HOME: home.paths.root, PATH: path, PS1: "> " });
    const flags = environment.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    tmux("new-session", "-d", "-x", "100", "-y", "24", ...flags, `env PATH=${path} ${shell}`);
    const type = async (line: string): Promise<void> => {
      tmux("send-keys", "C-u");
      tmux("send-keys", "-l", line);
      await sleep(200);
      tmux("send-keys", "Tab");
    };
    tmux("send-keys", "-l", `${setUp}; echo set"-"up`);
    tmux("send-keys", "Enter");
    await shows(/^set-up$/m);
    for (const [typed, completed] of [
      ["beckon unin", "beckon uninstall "],
      ["beckon log --fol", "beckon log --follow"],
      ["beckon config remove te", "beckon config remove team"],
      ["beckon install --agent clau", "beckon install --agent claude"],
      ["beckon log --session 9c", "beckon log --session 9c1f-session"],
    ] as const) {
      await type(typed);
      await shows(new RegExp(completed.trimEnd()));
    }
  },
  120_000,
);
