import { basename, relative } from "node:path";
import { secretPlaceholder, showHidden } from "./clean.ts";
import { cutCounted } from "./cut.ts";
import { mask } from "./mask/mask.ts";
import { counted } from "./time.ts";

/** Request of an agent as data: a tool call, a question or a plan. Texts are whole, have lines, and are not cleaned. */
export interface AgentRequest {
  /** Name of the tool, in words if another program offers it; `Plan` for a plan; absent for a question. */
  readonly tool?: string | undefined;
  /** Server that offers the tool, in words; absent for the agent's own tools. */
  readonly server?: string | undefined;
  /** Path of the file or folder that the call concerns. */
  readonly path?: string | undefined;
  /** Main argument: command, query, question … */
  readonly main?: string | undefined;
  /** Further arguments, by name. */
  readonly others?: readonly (readonly [name: string, value: unknown])[];
  /** Sub-agent that asks, `""` if it has no name; absent for the main agent. */
  readonly subAgent?: string | undefined;
  /** Reason that a hook of the user gave for the question whether the call is allowed. */
  readonly reason?: string | undefined;
}

/** Names of other programs' tools: `mcp__server__tool`, `server__tool`, `mcp_server_tool`, `server-tool`, `server.tool`. */
const foreignNames = [/^(?:mcp__)?(.+?)__+(.+)$/, /^mcp_([^_]+)_(.+)$/, /^(.+)-([^-]+)$/, /^(.+?)[./:](.+)$/];

/** Reads the name of a tool. If another program offers the tool, the result has a server, and both names in words. */
export function readTool(name: string, forms: readonly RegExp[] = foreignNames): Pick<AgentRequest, "tool" | "server"> {
  const form = /\s/.test(name) ? undefined : forms.find((candidate) => candidate.test(name));
  const [, server = "", tool = ""] = form?.exec(name) ?? [];
  if (form === undefined) return { tool: name };
  const words = tool.replace(/(?<=[a-z0-9])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return { server: server.replace(/[_-]+/g, " "), tool: words.replace(/[_-]+/g, " ") };
}

/**
 * Describes requests in lines: tool, path and main argument, further arguments in short, and the reason. Requests with the
 * same text are counted: `2 × Bash: npm test`. `brief` is the same without the arguments of other programs' tools; absent if there are none.
 * @param folder paths inside this folder are shortened
 */
export function describeRequests(requests: readonly AgentRequest[], folder?: string) {
  const join = (isBrief: boolean): string => {
    const texts = countTexts(requests.map((request) => format(request, folder, isBrief)));
    return texts.join(texts.some((text) => text.includes("\n")) ? "\n· " : " · ");
  };
  const [message, brief] = [join(false), join(true)];
  return brief === message ? { message } : { message, brief };
}

/** Counts equal texts: `2 × Bash: npm test`. */
export function countTexts(texts: readonly string[]): string[] {
  const count = (text: string): number => texts.filter((other) => other === text).length;
  return [...new Set(texts)].map((text) => (count(text) === 1 ? text : `${count(text)} × ${text}`));
}

/** Maximum length of a request's text, in UTF-16 units. */
const maxRequestChars = 8_000;

function format(request: AgentRequest, folder = "", isBrief: boolean): string {
  const { tool, server, path, main, others = [], subAgent, reason } = request;
  const isHidden = isBrief && server !== undefined;
  const head = [[server, tool].filter(Boolean).join(" · "), path && shortPath(path, folder)].filter(Boolean).join(" ");
  const more = isHidden || others.length === 0 ? "" : formatArguments(others);
  const what = main && more ? `${main} (${more})` : (main ?? "") + more;
  const who = subAgent === undefined ? "" : ` (sub-agent${subAgent && `: ${subAgent}`})`;
  const why = reason === undefined || isHidden ? "" : `\nA hook asks: ${reason}`;
  const text = showHidden([head, what].filter(Boolean).join(": ") + who + why).trimEnd();
  if (text.length <= maxRequestChars) return text;
  const end = 2 * maxRequestChars; // a secret across the cut would not be recognized
  return cutCounted(mask(text.slice(0, end)) + text.slice(end), maxRequestChars, "utf16");
}

function shortPath(path: string, folder: string): string {
  const short = folder === "" ? path : relative(folder, path);
  return short === "" ? basename(path) : short.startsWith("..") ? path : short;
}

/** Number and length, in graphemes, of the further arguments that are shown. */
const [maxArguments, maxArgumentGraphemes] = [3, 60];

function formatArguments(all: readonly (readonly [name: string, value: unknown])[]): string {
  const shown = all
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .slice(0, maxArguments);
  const left = all.length - shown.length;
  const rest = left === 0 ? "" : `… (+${counted(left, "argument")})`;
  return [shown.map(([name, value]) => `${name} ${formatValue(name, String(value))}`).join(", "), rest]
    .filter(Boolean)
    .join(" ");
}

/** Formats an argument, with secrets masked. Some values are only known as secrets by their names. */
function formatValue(name: string, value: string): string {
  const isSecret = [`${name}=${value}`, JSON.stringify({ [name]: value })].some((text) => mask(text) !== text);
  const text = mask(value) === value && isSecret ? secretPlaceholder : mask(value);
  const short = cutCounted(text, maxArgumentGraphemes, "graphemes");
  return /^[\w./:@+~%[\]-]+$/.test(short) ? short : `"${short.replaceAll('"', '\\"')}"`;
}
