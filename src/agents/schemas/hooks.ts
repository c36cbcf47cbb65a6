import * as z from "zod";
import type { SettingsShape } from "../../core/agent-settings.ts";

/** Makes the schema of a Claude Code hook, with the members that Claude Code validates. */
export function claudeHook() {
  const text = z.string();
  const common = {
    if: text.optional(),
    timeout: z.number().positive().optional(),
    statusMessage: text.optional(),
    once: z.boolean().optional(),
  };
  const hooks = [
    z.looseObject({
      ...common,
      type: z.literal("command"),
      command: text,
      args: z.array(text).optional(),
      shell: z.enum(["bash", "powershell"]).optional(),
      async: z.boolean().optional(),
      asyncRewake: z.boolean().optional(),
    }),
    z.looseObject({ ...common, type: z.literal("prompt"), prompt: text, model: text.optional() }),
    z.looseObject({ ...common, type: z.literal("agent"), prompt: text, model: text.optional() }),
    z.looseObject({
      ...common,
      type: z.literal("http"),
      url: z.url(),
      headers: z.record(text, text).optional(),
      allowedEnvVars: z.array(text).optional(),
    }),
    z.looseObject({
      ...common,
      type: z.literal("mcp_tool"),
      server: text,
      tool: text,
      input: z.record(text, z.unknown()).optional(),
    }),
  ] as const;
  return z.discriminatedUnion("type", hooks);
}

/** Makes the schema of a Codex hook. Numbers must be whole, and most optional members may be null. */
function codexHook() {
  const text = z.string();
  const seconds = z.int().nonnegative().nullish();
  const hooks = [
    z.looseObject({
      type: z.literal("command"),
      command: text,
      commandWindows: text.nullish(),
      timeout: seconds,
      async: z.boolean().optional(),
      statusMessage: text.nullish(),
      additionalContextLimit: seconds,
    }),
    z.looseObject({
      type: z.literal("mcp_tool"),
      server: text,
      tool: text,
      input: z.record(text, z.unknown()).optional(),
      timeout: seconds,
      statusMessage: text.nullish(),
    }),
    z.looseObject({ type: z.literal("prompt") }),
    z.looseObject({ type: z.literal("agent") }),
  ] as const;
  return z.discriminatedUnion("type", hooks);
}

/** Makes the schema of a Droid hook. Droid runs only command lines. */
function droidHook() {
  return z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("command"), command: z.string(), timeout: z.number().optional() }),
  ]);
}

const shared = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionStart", "SessionEnd"];
const codexEvents = [...shared, "PermissionRequest", "PreCompact", "PostCompact", "SubagentStart", "Interrupt"];
const droidEvents = [...shared, "Notification", "PreCompact"];

/** Makes the schema of Codex's `hooks.json`. Codex 0.169.0 ignores a file that does not match. */
export function codexHooksFile() {
  const group = z.looseObject({ matcher: z.string().nullish(), hooks: z.array(codexHook()).optional() });
  return z.strictObject({
    description: z.string().nullish(),
    hooks: z.looseObject(optionalMembers(codexEvents, z.array(group))).optional(),
  });
}

/** Makes the schema of hooks in Droid's files. Droid 0.215.0 runs no hook of a file that does not match. */
export function droidHooksFile(shape: SettingsShape) {
  const group = z.looseObject({ matcher: z.string().optional(), hooks: z.array(droidHook()) });
  const events = z.looseObject(optionalMembers(droidEvents, z.array(group)));
  return shape === "bare" ? events : z.looseObject({ hooks: events.optional() });
}

/** Makes the schema of hooks in Kimi Code's `config.toml`. After one mismatch, Kimi discards the whole section. */
export function kimiHooks() {
  const hook = z.strictObject({
    event: z.string(),
    command: z.string(),
    matcher: z.string().optional(),
    timeout: z.int().min(1).max(600).optional(),
  });
  return z.looseObject({ hooks: z.array(hook).optional() });
}

/** Events of Cursor's `hooks.json`. https://cursor.com/docs/hooks */
const cursorEvents = [
  ...["sessionStart", "sessionEnd", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure", "stop"],
  ...["subagentStart", "subagentStop", "beforeShellExecution", "afterShellExecution", "beforeMCPExecution"],
  ...["afterMCPExecution", "beforeReadFile", "afterFileEdit", "afterAgentResponse", "afterAgentThought", "preCompact"],
  ...["beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"],
];

/**
 * Makes the schema of Cursor's `hooks.json`. One unknown event makes Cursor ignore the whole file, and so does a URL in
 * a command, of which Cursor takes the rest for a comment.
 * @see https://github.com/receptron/mulmoterminal/blob/main/docs/agent-capability-matrix.md
 */
export function cursorHooksFile() {
  const command = z.string().regex(/^(?!.*:\/\/)/s, { error: "must not contain a URL" });
  const hook = z.looseObject({ command: command.optional() });
  return z.looseObject({ hooks: z.strictObject(optionalMembers(cursorEvents, z.array(hook))).optional() });
}

/** Makes optional members of an object, all with the same schema. */
export function optionalMembers<Schema extends z.ZodType>(names: readonly string[], schema: Schema) {
  const member = schema.optional();
  return Object.fromEntries(names.map((name) => [name, member]));
}
