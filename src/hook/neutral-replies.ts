/** Texts that hooks print so that their agent hides them; other hooks print nothing. Written by `npm run docs`. */
export const neutralReplies: Readonly<Record<string, string>> = {
  droid: '{"suppressOutput":true}',
  cursor: "{}",
};
