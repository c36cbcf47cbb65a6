import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readOpenAsks } from "../../src/answers/ask-files.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { type AgentInTerminal, startInTerminal } from "../world/agent-in-terminal.ts";
import { askedIn, askedPayload, typeAnswer, untilAsked, useAskingHome } from "../world/asking-agent.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { run } from "../world/home.ts";
import { type ScreenSaver, startScreenSaver } from "../world/screen-saver.ts";
import { allow, deny } from "./replies.ts";

const home = useAskingHome();
let folder: string;
let screen: ScreenSaver;
let agent: AgentInTerminal | undefined;
beforeEach(async () => {
  folder = freshFolder();
  screen = await startScreenSaver(folder);
  home.env["DBUS_SESSION_BUS_ADDRESS"] = screen.address;
  home.writeConfig({
    notifiers: { log: { type: "file", path: join(folder, "messages"), for: "machine" } },
    answers: { agents: ["codex", "qwen"], projects: [askedIn] },
  });
});
afterEach(() => {
  agent?.close();
  screen.close();
});

const silence = { printed: "", exitCode: 0 };
const isGivenUp = ({ status }: JournalLine) => status === "given-up";
const reasons = () =>
  home
    .journal()
    .filter(isGivenUp)
    .map(({ reason }) => reason);
const tools = { codex: "Bash", qwen: "run_shell_command" } as const;

/** Builds an agent's payload. Codex has a transcript that shows the call. */
function payloadFor(name: keyof typeof tools, command = "touch made"): string {
  const transcriptPath = join(folder, "rollout.jsonl");
  const payload = { type: "function_call", call_id: command, arguments: JSON.stringify({ cmd: command }) };
  writeFileSync(transcriptPath, `${JSON.stringify({ type: "response_item", payload })}\n`, { flag: "a" });
  return askedPayload({ tool: tools[name], input: { command }, transcriptPath });
}

/** Processes that wait for an answer of this home. */
function waitingHooks(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`wait.sh\0${home.paths.spool}`);
    } catch {
      return false; // it has ended
    }
  });
}

describe.each(["codex", "qwen"] as const)("the hook of %s, while the user is away", (name) => {
  const start = async (...payloads: readonly string[]) => {
    agent = await startInTerminal(home, { agent: name, payloads });
    return agent;
  };

  test("takes an allowing and a refusing answer, with one message for each request", async () => {
    for (const [word, printed] of [
      ["allow", allow],
      ["deny", deny()],
    ] as const) {
      const { ends, close } = await start(payloadFor(name, `touch ${word}`));
      const { id } = await untilAsked(home, word === "allow" ? 1 : 2);
      expect((await typeAnswer(home, [id], word)).exitCode).toBe(0);
      expect(await ends[0]).toMatchObject({ printed, exitCode: 0 });
      close();
    }
    const lines = await home.until((journal) => journal.filter(({ status }) => status === "sent").length >= 2);
    expect(lines.filter(({ status }) => status === "sent")).toHaveLength(2);
  });

  test("ends with the first key that the agent reads", async () => {
    const { ends, type } = await start(payloadFor(name));
    await untilAsked(home);
    let typedUntilMs = 0;
    await type(() => {
      typedUntilMs = performance.now();
      return reasons().length > 0;
    });
    expect(await ends[0]).toMatchObject(silence);
    expect(performance.now() - typedUntilMs).toBeLessThan(1_000);
    expect(reasons()).toEqual(["you are at the agent's terminal"]);
  });

  test("ends on its own after the agent was killed, and nobody can answer any longer", async () => {
    const { pid } = await start(payloadFor(name));
    await untilAsked(home);
    process.kill(pid, "SIGKILL");
    await home.until((journal) => journal.some(isGivenUp));
    await expect.poll(waitingHooks).toEqual([]);
    await expect.poll(() => readOpenAsks(home.paths)).toEqual([]);
  });

  test("waits beside another of the same session: each takes its own answer", async () => {
    const { ends } = await start(payloadFor(name, "touch a"), payloadFor(name, "touch b"));
    await untilAsked(home, 2);
    const asks = readOpenAsks(home.paths);
    const find = (command: string) => asks.find(({ lines }) => lines[0]?.endsWith(command))?.id ?? "";
    await typeAnswer(home, [find("touch a")], "allow");
    expect(await ends[0]).toMatchObject({ printed: allow });
    await typeAnswer(home, [find("touch b")], "deny");
    expect(await ends[1]).toMatchObject({ printed: deny() });
  });

  test("waits beside another with the same command, and a key ends both", async () => {
    const { ends, type } = await start(payloadFor(name), payloadFor(name));
    await untilAsked(home, 2);
    await home.until((journal) => journal.filter(({ status }) => status === "accepted").length === 2);
    await type(() => reasons().length === 2);
    expect(await Promise.all(ends)).toMatchObject([silence, silence]);
  });
});

test.each(["codex", "qwen"] as const)("the hook of %s ends at once while the user is here", async (name) => {
  screen.isLocked = false;
  agent = await startInTerminal(home, { agent: name, payloads: [payloadFor(name)] });
  expect(await agent.ends[0]).toMatchObject(silence);
  expect(reasons()).toEqual(["you are at this machine"]);
});

test.each(["codex", "qwen"] as const)("the hook of %s ends at once without a terminal", async (name) => {
  const line = `'${home.paths.launcher}' PermissionRequest --agent ${name} --ask 60 || :`;
  const agent = ["sh", "-c", 'sh -c "$1"; exit $?', "agent", line];
  const { exitCode, stdout } = await run("setsid", ["--wait", ...agent], payloadFor(name), { env: home.env });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  expect(reasons()).toEqual(["no key in the agent's terminal could end the wait"]);
});
