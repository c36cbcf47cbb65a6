import { join } from "node:path";
import { defineAgent } from "../core/agent.ts";
import type { Trust, TrustRequest } from "../core/agent-settings.ts";
import { at, toList, toObject } from "../core/json-value.ts";
import { snakeCase } from "../core/vocabulary.ts";
import { codexHooksFile } from "./schemas/hooks-files.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { describeWhole, type ToolForm } from "./shared/asked-call.ts";
import { claudeFamily, claudePayload, outputIsContext } from "./shared/claude-family.ts";
import { codexTranscript, findOmittedArguments } from "./transcripts/codex.ts";

const folder = agentFolder({ name: ".codex", pathVariable: "CODEX_HOME" });

/** Event that Codex sends to the older `notify` program. */
const turnComplete = "agent-turn-complete";

/**
 * Codex's own tools whose calls may be answered outside the agent. A tool that gives the agent more permissions is left
 * out.
 */
const answerableTools: Readonly<Record<string, ToolForm>> = {
  Bash: { main: "command", said: ["description"] },
  apply_patch: { main: "command" },
};

/** OpenAI Codex CLI: its hooks and its older `notify` program. Tested with 0.169.0. */
export const codex = defineAgent({
  name: "codex",
  title: "Codex",
  aliases: ["codex-cli"],
  source: "https://developers.openai.com/codex/hooks",
  transcriptPathHint: "/.codex/",
  ...claudeFamily,
  nativeEvents: {
    ...claudeFamily.nativeEvents,
    PermissionRequest: { event: "Notification", kind: "needs-you" },
    [turnComplete]: { event: "Stop", kind: "finished" },
  },
  // SessionEnd comes a minute after the terminal is closed, or after half an hour without a prompt.
  otherIsOrdinaryEnd: true,
  echoes: [{ nativeEvent: turnComplete, after: "Stop", withinMs: 10_000 }],
  payload: claudePayload({
    fields: { sessionId: ["session_id", "thread_id"], turnId: ["turn_id"] },
    // The `notify` program gets the payload as its last argument, with the event's name in `type`.
    readers: { nativeEvent: ({ type }) => (type === turnComplete ? type : undefined) },
  }),
  skipReason(event) {
    if (event.nativeEvent !== turnComplete) return claudeFamily.skipReason(event);
    if (typeof event.extra.client !== "string") return "the end of a sub-agent's turn";
    const [first] = toList(event.extra["input-messages"]);
    const wantsTitle = typeof first === "string" && first.startsWith("Generate a concise, single-line task title");
    return wantsTitle ? "Codex making a title for the thread" : undefined;
  },
  transcript: codexTranscript,
  permissionHook: {
    event: "PermissionRequest",
    describe: (payload) => describeWhole(payload, answerableTools),
    serial: "all",
    findOmitted: findOmittedArguments,
    statusMessage: "Waiting for your answer; any key asks here",
    variables: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_MANAGED_BY_NPM"],
  },
  settings: {
    folder,
    files: filesIn(folder, { user: { "hooks.json": "wrapped" }, project: { "hooks.json": "wrapped" } }),
    otherHookFiles: (environment) =>
      (["user", "project"] as const).map((scope) => ({
        path: join(folder(environment, scope), "config.toml"),
        member: "hooks",
        // In `state`, Codex records which hooks the user trusts.
        except: ["state"],
        effect: "Codex runs the hooks of both files, and warns of it at every start",
      })),
    servers: (environment) => [{ path: join(folder(environment), "config.toml"), shape: "server-tables" }],
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, PermissionRequest: 5, Stop: 5, SubagentStop: 5, SessionEnd: 3 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    // 0.169.0 uses `-c` with the account's shell if it is bash, zsh or sh, and otherwise with one of these three.
    runsLoginShell: { before: "0.169.0" },
    // Codex lowers a longer timeout and warns about it at every start.
    maxTimeoutSeconds: (nativeEvent) => (nativeEvent === "SessionEnd" ? 3 : undefined),
    ignoresFileWith: ["comments", "trailing commas", "a byte-order mark"],
    schema: codexHooksFile,
    switches: (environment) => [
      { path: join(folder(environment), "config.toml"), off: { features: { hooks: false } } },
    ],
    readTrust: readCodexTrust,
    program: {
      files: ["codex"],
      minimumVersion: { version: "0.145.0", reason: "it has no SessionEnd yet, and before 0.124 hooks are off" },
    },
    afterInstall: [
      "Codex runs no new or changed hook before you have trusted it: start it and choose to trust the hooks, or open /hooks.",
    ],
  },
});

/**
 * Reads whether Codex trusts beckon's hooks. Codex silently skips untrusted hooks. For each hook that the user
 * reviewed, `config.toml` has a hash.
 */
async function readCodexTrust({ environment, files, readValue, isBeckonCommand }: TrustRequest): Promise<Trust> {
  const config = await readValue(join(folder(environment), "config.toml"));
  const perFile = files.map(async ({ path, target }) => {
    const hooks = await readValue(path);
    const byPath = untrustedEvents(hooks, config, path, isBeckonCommand);
    const byTarget = untrustedEvents(hooks, config, target, isBeckonCommand);
    return byTarget.length < byPath.length ? byTarget : byPath;
  });
  const untrusted = [...new Set((await Promise.all(perFile)).flat())];
  if (untrusted.length === 0)
    return { state: "trusted", detail: "trusted, as far as the hooks were not changed since" };
  const cure = "Open /hooks in Codex and trust beckon's hooks there.";
  return { state: "untrusted", detail: `not trusted for ${untrusted.join(", ")}`, cure };
}

/**
 * Lists the events whose beckon hook has no hash in Codex's `config.toml`. The hash of a hook is in
 * `[hooks.state."<hooks.json>:<event_in_snake_case>:<group>:<hook>"]`. Only Codex can tell if a hash still matches.
 * @see https://developers.openai.com/codex/hooks
 */
export function untrustedEvents(
  hooksFile: unknown,
  config: unknown,
  path: string,
  isBeckonCommand: TrustRequest["isBeckonCommand"],
): string[] {
  const known = at(config, "hooks", "state");
  return Object.entries(toObject(at(hooksFile, "hooks"))).flatMap(([event, groups]) => {
    const keys = toList(groups).flatMap((group, groupIndex) =>
      toList(at(group, "hooks")).flatMap((hook, index) => {
        const command = at(hook, "command");
        return typeof command === "string" && isBeckonCommand(command) ? [`${groupIndex}:${index}`] : [];
      }),
    );
    const isTrusted = (key: string) =>
      typeof at(known, `${path}:${snakeCase(event)}:${key}`, "trusted_hash") === "string";
    return keys.every(isTrusted) ? [] : [event];
  });
}
