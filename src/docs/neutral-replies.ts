import { agents } from "../agents/registry.ts";
import { shellWord } from "../installer/agents/command-line.ts";

const block = /(^ *# begin neutral replies\n)[\s\S]*?(^ *# end neutral replies$)/m;
const replies = agents.flatMap(({ name, neutralReply }) => (neutralReply ? [{ name, neutralReply }] : []));

/**
 * The launcher's text with its cases for agents that want a reply, between the marks `# begin neutral replies` and
 * `# end neutral replies`. Generated, because a hook must not take the time to load the agents.
 * @throws {Error} for a launcher without the marks
 */
export function withNeutralReplies(launcher: string): string {
  if (!block.test(launcher)) throw new Error("hooks/hook.sh lacks the marks of its neutral replies");
  const cases = replies.map(({ name, neutralReply }) => `    ${name}) printf '%s' ${shellWord(neutralReply)} ;;\n`);
  return launcher.replace(block, (_, begin: string, end: string) => `${begin}${cases.join("")}${end}`);
}

/** The module with the same replies for compiled entrypoints. */
export function neutralRepliesModule(): string {
  const entries = replies.map(({ name, neutralReply }) => `  ${name}: ${quoted(neutralReply)},\n`);
  return `/** Hook output that keeps an agent's screen unchanged; hooks of other agents print nothing. Written by \`npm run docs\`. */
export const neutralReplies: Readonly<Record<string, string>> = {
${entries.join("")}};
`;
}

/** As a literal of the quotes the formatter would choose. */
function quoted(text: string): string {
  return /^[^'\\]*"[^'\\]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}
