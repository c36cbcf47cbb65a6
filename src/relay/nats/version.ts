import { compareVersions } from "../../text/version.ts";

/** The oldest nats-server whose streams do what is needed. */
export const oldestVersion = "2.12";

/** Whether a server of this version does. */
export function isNewEnough(version: string): boolean {
  return compareVersions(version, oldestVersion) >= 0;
}
