import { spawn } from "node:child_process";
import { resolveProgram } from "./which.ts";

/**
 * Opens an address in the user's browser, without waiting for the browser. Other users can see the address in the list
 * of processes.
 * @returns false if the user is connected over SSH, if there is no desktop, or if the program that opens addresses is
 * missing
 */
export function openAddress(address: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<boolean> {
  const [name, ...args] = findOpener(env, platform) ?? [];
  const program = name === undefined ? undefined : resolveProgram(name, env);
  if (program === undefined) return Promise.resolve(false);
  const options = { detached: true, stdio: "ignore", windowsHide: true, env } as const;
  const child = spawn(program, [...args, address], options);
  child.unref();
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("spawn", () => resolve(true));
  });
}

const remoteVariables = ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"];
const displayVariables = ["DISPLAY", "WAYLAND_DISPLAY"];

/** Returns the command line that opens an address on this desktop; undefined over SSH or without a desktop. */
export function findOpener(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly string[] | undefined {
  const hasAny = (names: readonly string[]): boolean => names.some((name) => Boolean(env[name]));
  if (hasAny(remoteVariables)) return undefined;
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["cmd", "/c", "start", ""];
  return hasAny(displayVariables) ? ["xdg-open"] : undefined;
}
