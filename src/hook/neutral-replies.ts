/**
 * The one constant an agent wants on stdout so that its user sees nothing of the hook; every other agent wants silence.
 * Measured: Droid 0.215 shows a row with the whole command line unless it reads this. Reported: Cursor takes nothing at
 * all for broken JSON, https://github.com/stablyai/orca/issues/15462
 */
export const neutralReplies: Readonly<Record<string, string>> = { droid: '{"suppressOutput":true}', cursor: "{}" };
