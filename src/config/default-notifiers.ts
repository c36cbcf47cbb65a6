/** Default notifiers: this machine's desktop and a sound. */
export const defaultNotifiers = { desk: { type: "desktop" }, chime: { type: "sound" } } as const;
