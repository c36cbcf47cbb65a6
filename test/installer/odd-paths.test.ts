import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { installable } from "../../src/installer/agents/installable.ts";
import { wantedEntries } from "../../src/installer/agents/wanted-entries.ts";
import { applyInstall } from "../../src/installer/apply.ts";
import { beckonCommandsOf, isBeckonCommand } from "../../src/installer/beckon-commands.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import { createHome, run } from "../world/home.ts";

const odd = `it's "my" $HOME \`id\` ü日本 & (co)`;
const home = createHome(odd);
home.writeConfig({ notifiers: {}, delivery: { linger: "5s" } });
afterAll(() => home.remove());

test.each(installable.map((agent) => [agent.name, agent] as const))(
  "home and project with spaces, quotes, dollars and Unicode: the entry written for %s delivers",
  async (name, agent) => {
    const { paths, env } = home;
    const project = join(paths.root, odd, name);
    mkdirSync(project, { recursive: true });
    const [file] = agent.settings.files("local", { home: paths.root, project, env: {}, platform: "linux" });
    const [only] = agent.settings.files("user", { home: paths.root, project, env: {}, platform: "linux" }).slice(-1);
    const target = file ?? only;
    if (!target) throw new Error("no file");
    mkdirSync(dirname(target.path), { recursive: true });
    const wanted = wantedEntries({
      agent,
      events: undefined,
      waitSeconds: 0,
      paths,
      home: paths.root,
      platform: "linux",
    });
    const beckonCommands = beckonCommandsOf({ commands: [], roots: [paths] });
    await applyInstall(paths, {
      agent: name,
      scope: "local",
      file: target,
      beckonCommands,
      wanted,
      ignoresFileWith: [],
      chosen: {},
    });

    const text = readFileSync(target.path, "utf8");
    const entries = editors[target.shape].list({ ...target, text });
    expect(entries).toHaveLength(wanted.size);
    const session = `session-of-${name}`;
    for (const { command } of entries) {
      expect(isBeckonCommand(beckonCommands, command)).toBe(true);
      const input = JSON.stringify({ session_id: session, cwd: project });
      const { exitCode, stderr } = await run("sh", ["-c", command], input, { env, cwd: project });
      expect([exitCode, stderr]).toEqual([0, ""]);
    }
    const journal = await home.until(
      (lines) =>
        lines.filter(({ status, sessionId }) => status === "accepted" && sessionId === session).length ===
        entries.length,
    );
    const projects = journal.filter(({ sessionId }) => sessionId === session).map((line) => line.project);
    expect(new Set(projects)).toEqual(new Set([name]));
  },
);
