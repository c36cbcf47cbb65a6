import { compareVersions } from "../../text/version.ts";

/** Oldest nats-server whose streams have every feature needed. */
export const oldestVersion = "2.12";

export function isNewEnough(version: string): boolean {
  return compareVersions(version, oldestVersion) >= 0;
}
