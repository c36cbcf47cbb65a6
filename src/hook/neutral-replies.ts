/** Hook output that keeps an agent's screen unchanged; hooks of other agents print nothing. Written by `npm run docs`. */
export const neutralReplies: Readonly<Record<string, string>> = {
  droid: '{"suppressOutput":true}',
  cursor: "{}",
};
