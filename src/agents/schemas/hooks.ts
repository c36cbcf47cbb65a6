import * as z from "zod";

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
export function codexHook() {
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
export function droidHook() {
  return z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("command"), command: z.string(), timeout: z.number().optional() }),
  ]);
}
