import { fileVersion } from "../files/file-version.ts";

/** Tells this build of the running program from one that an upgrade has put in its place. */
export function programIdentity(): string {
  return fileVersion(process.argv[1] ?? "");
}
