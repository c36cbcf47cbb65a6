/** Settings of four agents, by path below the home folder: two ready for setup, one switched off, one broken. */
export const agentsSettings = {
  ".factory/settings.json": '{\n  // mine\n  "model": "x"\n}\n',
  ".claude/settings.json": '{"disableAllHooks":true}',
  ".gemini/settings.json": "{}",
  ".qwen/settings.json": '{"hooks":[]}',
} as const;
