/** What holds without a configuration file: desktop and sound for whatever needs you, failed or finished. */
export const defaultConfigValue = {
  notifiers: { desk: { type: "desktop" }, chime: { type: "sound" } },
} as const;
