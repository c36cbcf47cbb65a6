import { agents } from "../agents/registry.ts";
import { shellWord } from "../installer/agents/command-line.ts";

const block = /(^ *# begin neutral replies\n)[\s\S]*?(^ *# end neutral replies$)/m;
const replies = agents.flatMap(({ name, neutralReply }) => (neutralReply ? [{ name, neutralReply }] : []));

/**
 * Returns the launcher's text with the cases for agents that expect a reply, between the marks `# begin neutral
 * replies` and `# end neutral replies`. They are generated because loading the agents would take a hook too much time.
 * @throws {Error} for a launcher without the marks
 */
export function withNeutralReplies(launcher: string): string {
  if (!block.test(launcher)) throw new Error("hooks/hook.sh lacks the marks of its neutral replies");
  const cases = replies.map(({ name, neutralReply }) => `    ${name}) printf '%s' ${shellWord(neutralReply)} ;;\n`);
  return launcher.replace(block, (_, begin: string, end: string) => `${begin}${cases.join("")}${end}`);
}

/** Returns the source of the module with the same replies for compiled entrypoints. */
export function neutralRepliesModule(): string {
  const entries = replies.map(({ name, neutralReply }) => `  ${name}: ${quoted(neutralReply)},\n`);
  return `/** Hook output that keeps an agent's screen unchanged; hooks of other agents print nothing. Written by \`npm run docs\`. */
export const neutralReplies: Readonly<Record<string, string>> = {
${entries.join("")}};
`;
}

/** Formats a text as a string literal, with the quotes that the formatter would choose. */
function quoted(text: string): string {
  return /^[^'\\]*"[^'\\]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}
