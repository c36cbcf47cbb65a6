import { defineAgent } from "../core/agent.ts";
import type { Trust, TrustRequest } from "../core/agent-settings.ts";
import { snakeCase } from "../core/vocabulary.ts";
import { agentFolder, filesIn } from "./shared/agent-paths.ts";
import { claudeFamily, claudePayload, outputIsContext } from "./shared/claude-family.ts";
import { prompt, subAgentTaskSkipReason } from "./shared/prompts.ts";
import { grokTranscript } from "./transcripts/grok.ts";

const folder = agentFolder({ name: ".grok", pathVariable: "GROK_HOME" });

const nativeEvents = { ...claudeFamily.nativeEvents, StopFailure: { event: "Stop", kind: "failed" } } as const;

/** Grok Build. Tested with 1.0.41. It also runs the hooks in Claude Code's and Cursor's settings. */
export const grok = defineAgent({
  name: "grok",
  title: "Grok Build",
  source: "https://docs.x.ai/build/features/hooks",
  transcriptPathHint: "/.grok/",
  ...claudeFamily,
  // Payloads name events as Claude Code does. Older versions of Grok name events in snake_case only.
  nativeEvents: {
    ...nativeEvents,
    ...Object.fromEntries(Object.entries(nativeEvents).map(([name, rule]) => [snakeCase(name), rule])),
  },
  // Neither needs the user: an error also fires StopFailure, and the end of a background task starts a turn.
  notificationKinds: { ...claudeFamily.notificationKinds, agent_error: "info", task_complete: "info" },
  echoes: ["Stop", "StopFailure"].flatMap((after) =>
    [(name: string) => name, snakeCase].map((form) => ({
      nativeEvent: form("Notification"),
      notificationType: "idle_prompt",
      after: form(after),
      withinMs: 90_000,
    })),
  ),
  payload: claudePayload({ fields: { cwd: ["cwd", "workspace_root"] } }),
  recognizes: ({ hookEventName }) => typeof hookEventName === "string",
  skipReason(event) {
    const isSubAgent = typeof event.extra.subagentType === "string"; // sub-agents have separate sessions
    if (event.event === prompt.event && isSubAgent) return subAgentTaskSkipReason;
    if (event.event !== "Stop") return claudeFamily.skipReason(event);
    if (isSubAgent) return "the end of a sub-agent's turn";
    if (event.reason === "shutdown") return "Grok shutting down, no turn";
    return /cancel|interrupt/i.test(event.reason ?? "") ? "the user stopped the agent" : claudeFamily.skipReason(event);
  },
  classify: ({ event, reason }) => (event === "Stop" && /error|fail/i.test(reason ?? "") ? "failed" : undefined),
  transcript: grokTranscript,
  permissionHook: "its only hook that can decide runs for every call, before it is known whether you will be asked",
  settings: {
    folder,
    // The folder `hooks` holds one file for each tool.
    files: filesIn(folder, { user: { "hooks/beckon.json": "wrapped" }, project: { "hooks/beckon.json": "wrapped" } }),
    sessions: "sessions",
    defaultEvents: { UserPromptSubmit: 5, Notification: 5, Stop: 5, StopFailure: 5, SubagentStop: 5, SessionEnd: 2 },
    forbiddenEvents: outputIsContext,
    timeoutUnit: "s",
    ignoresFileWith: ["comments", "trailing commas"],
    alsoRuns: [
      { agent: "claude", scopes: ["user", "project", "local"] },
      { agent: "cursor", scopes: ["user", "project"] },
    ],
    readTrust: readGrokTrust,
    program: { files: ["grok"] },
    afterInstall: [],
    afterProjectInstall: ["Grok runs a project's hooks only once you have trusted them: /hooks-trust, or --trust."],
  },
});

/**
 * Reports that a project's trust is unknown, because Grok does not document where it keeps trust. Grok runs a project's
 * hooks only if the user allowed them.
 * @see https://docs.x.ai/build/features/hooks
 */
async function readGrokTrust({ environment, files }: TrustRequest): Promise<Trust | undefined> {
  if (files.every(({ scope }) => scope === "user")) return undefined;
  return {
    state: "unknown",
    detail: `whether ${environment.project} is trusted cannot be seen from here`,
    cure: "Run /hooks-trust in Grok there; /hooks lists what runs.",
  };
}
