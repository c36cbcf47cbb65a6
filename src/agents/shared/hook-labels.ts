/**
 * Labels of beckon's hooks in agents that show hook names: Gemini CLI while a hook runs, Qwen Code in its list of
 * hooks.
 * https://geminicli.com/docs/hooks/reference, https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks/
 */
export const hookLabels = {
  name: "beckon",
  description: "Tells you when the agent needs you, has failed or is done",
} as const;
