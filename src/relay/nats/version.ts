import { compareVersions } from "../../text/version.ts";

/** Oldest supported nats-server version. Older versions lack some stream features that beckon uses. */
export const oldestVersion = "2.12";

export function isNewEnough(version: string): boolean {
  return compareVersions(version, oldestVersion) >= 0;
}
