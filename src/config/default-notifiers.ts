/** Who is told where the file does not say so: this machine's desktop and a sound. */
export const defaultNotifiers = { desk: { type: "desktop" }, chime: { type: "sound" } } as const;
