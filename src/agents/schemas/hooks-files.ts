import * as z from "zod";
import type { SettingsShape } from "../../core/agent-settings.ts";
import { codexHook, droidHook } from "./hooks.ts";
import { optionalMembers } from "./optional-members.ts";

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
