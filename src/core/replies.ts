/**
 * The one constant an agent wants on stdout so that its user sees nothing of the hook; every other agent wants silence.
 * Measured: Droid 0.215 shows a row with the whole command line unless it reads this.
 */
export const neutralReplies: Readonly<Record<string, string>> = { droid: '{"suppressOutput":true}' };
