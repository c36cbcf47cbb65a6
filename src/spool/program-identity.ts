import { fileVersion } from "../files/file-version.ts";

/** Returns a text that identifies the running program's build, and changes when an upgrade replaces the program. */
export function programIdentity(): string {
  return fileVersion(process.argv[1] ?? "");
}
