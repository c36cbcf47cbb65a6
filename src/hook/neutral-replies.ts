/** What an agent's hooks print to stay invisible to its user; all others print nothing. Written by `npm run docs`. */
export const neutralReplies: Readonly<Record<string, string>> = {
  droid: '{"suppressOutput":true}',
  cursor: "{}",
};
