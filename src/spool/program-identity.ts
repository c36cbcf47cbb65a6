import { fileVersion } from "../files/file-version.ts";

/** Identifies the installed build of the running program. The result changes when an upgrade replaces the program. */
export function programIdentity(): string {
  return fileVersion(process.argv[1] ?? "");
}
