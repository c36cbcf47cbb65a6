import { fileVersion } from "../files/file-version.ts";

/** Identifies the build of the running program, to detect that an upgrade has replaced it. */
export function programIdentity(): string {
  return fileVersion(process.argv[1] ?? "");
}
