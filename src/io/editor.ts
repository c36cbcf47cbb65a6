import { spawn } from "node:child_process";

/**
 * Opens a file in the user's editor and waits until the editor exits. As in git, `$VISUAL` or else `$EDITOR` is the
 * editor's command line; default: `vi`, on Windows `notepad`. @returns the exit code; undefined if the editor could not
 * be started
 */
export function openInEditor(file: string, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const isWindows = process.platform === "win32";
  const line = env["VISUAL"] || env["EDITOR"] || (isWindows ? "notepad" : "vi");
  const child = isWindows
    ? spawn(`${line} "${file}"`, { shell: true, stdio: "inherit", env })
    : spawn("/bin/sh", ["-c", `${line} "$1"`, "sh", file], { stdio: "inherit", env });
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("close", (code) => resolve(code ?? 1));
  });
}
