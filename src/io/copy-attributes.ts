import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { resolveProgram } from "./which.ts";

/** Options that make the system's `cp` copy access control lists and extended attributes, which Node cannot copy. */
const options: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["--attributes-only", "--preserve=mode,ownership,xattr", "--no-target-directory", "--"],
  darwin: ["-p", "--"],
};
const timeoutMs = 10_000;

/**
 * Creates a file with the owner, mode, access control list and extended attributes of another file. The new file's
 * content is arbitrary.
 * @returns `copied`, or why no file was created: `unsupported` if this `cp` lacks the options or the disk is full,
 * `changed` if the other file was replaced meanwhile, `refused` if some attributes could not be copied
 */
export async function copyAttributes(
  from: string,
  to: string,
): Promise<"copied" | "unsupported" | "changed" | "refused"> {
  const chosen = options[process.platform];
  const program = resolveProgram("cp", process.env);
  if (!chosen || program === undefined) return "unsupported";
  const environment = { env: { LC_ALL: "C" }, timeout: timeoutMs };
  const complaint = await new Promise<string | undefined>((resolve) => {
    execFile(program, [...chosen, from, to], environment, (error, _, stderr) => resolve(error ? stderr : undefined));
  });
  if (complaint === undefined) return "copied";
  await rm(to, { force: true });
  if (/(unrecognized|invalid|illegal|unknown) option|without xattr|No space left/i.test(complaint))
    return "unsupported";
  return /No such file|replaced while being copied/.test(complaint) ? "changed" : "refused";
}
