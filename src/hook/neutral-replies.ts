/** Output with which an agent shows its user nothing; hooks of other agents print nothing. Written by `npm run docs`. */
export const neutralReplies: Readonly<Record<string, string>> = {
  droid: '{"suppressOutput":true}',
  cursor: "{}",
};
