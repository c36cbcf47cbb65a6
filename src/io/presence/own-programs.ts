import type { ExecPort } from "../../core/ports.ts";
import type { Question } from "./question.ts";

/**
 * Creates a runner for programs that beckon itself chooses by name. Each program is looked up once per process.
 * @returns a function that takes a time limit in milliseconds and a signal, and returns a `Question.run` that keeps to
 * them
 */
export function createPrograms(exec: ExecPort): (limitMs: number, signal: AbortSignal) => Question["run"] {
  const known = new Map<string, string | undefined>();
  const find = (name: string): string | undefined => {
    if (!known.has(name)) known.set(name, exec.driver(name));
    return known.get(name);
  };
  return (timeoutMs, signal) =>
    async (name, args, env = {}) => {
      const file = find(name);
      if (file === undefined) return undefined;
      const { exitCode, stdout } = await exec.run({ file, args, env, timeoutMs, signal });
      return exitCode === 0 ? stdout : undefined;
    };
}
