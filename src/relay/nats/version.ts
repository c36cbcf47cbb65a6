/** The oldest nats-server whose streams do what is needed. */
export const oldestVersion = "2.12";

/** Whether a server of this version does. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestVersion.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
