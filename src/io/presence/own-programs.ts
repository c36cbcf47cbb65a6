import type { ExecPort } from "../../core/ports.ts";
import type { Question } from "./question.ts";

/**
 * Runs programs that beckon chose, found by their bare names. Each is looked up once: one that is installed later is
 * found by the next process.
 * @returns what makes the `run` of one question, from the longest a program may take, milliseconds, and who may end it
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
