/** Words that other tools use for beckon's commands. They are not in the help. */
const commandAliases: Readonly<Record<string, readonly string[]>> = {
  init: ["install"],
  setup: ["install"],
  version: ["--version"],
  list: ["sessions"],
  ps: ["sessions"],
  logs: ["log"],
  mute: ["snooze"],
  pause: ["snooze"],
  open: ["board"],
  add: ["config", "add"],
  remove: ["config", "remove"],
};

/** Replaces an alias at the start of a command line, also after `help` and in a command line to complete. */
export function resolveAliases(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first === "help") return [first, ...resolveAliases(rest)];
  const [words, dashes, ...typed] = rest;
  if (first === "completion" && words === "words" && dashes === "--" && typed.length > 1)
    return [first, words, dashes, ...resolveAliases(typed)];
  return Object.hasOwn(commandAliases, first) ? [...(commandAliases[first] ?? []), ...rest] : args;
}
