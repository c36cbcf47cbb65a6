/** JSON schema of a tool's arguments, as far as the scripted model reads it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly minItems?: number;
  readonly minimum?: number;
}

/** A tool that the agent offers to the model. */
export interface Tool {
  readonly name: string;
  readonly schema: Schema;
  /** True if the tool takes text instead of JSON (OpenAI's custom tools). */
  readonly takesText?: boolean;
  /** OpenAI's namespace, to be repeated in a call. */
  readonly namespace?: string;
}

/** One item of the conversation, in order. */
export interface Turn {
  readonly role: string;
  /** Text of the item, without the results of tools. */
  readonly text: string;
  readonly isCall?: boolean;
}

/** An agent's request to the model, the same for all wire formats. */
export interface Conversation {
  readonly stream: boolean;
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** The shape of the answer, if the agent wants JSON. */
  readonly answerSchema?: Schema | undefined;
  /** Whole request as text, with its quotes unescaped. */
  readonly everything: string;
}

/** A tool call with arguments that fit the tool's schema. */
export interface Call {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The scripted model's answer. */
export interface Answer {
  readonly text?: string;
  readonly calls?: readonly Call[];
}

/** A part of a request's JSON; anything may be absent. */
export type Part = Readonly<Record<string, unknown>>;

/** Returns the objects in a list; empty for anything else. */
export function readParts(value: unknown): Part[] {
  return Array.isArray(value) ? value.filter((part) => typeof part === "object" && part !== null) : [];
}

/** Reads the text of a message's content, which is a string or a list of parts; without the results of tools. */
export function readText(content: unknown): string {
  if (typeof content === "string") return content;
  return readParts(content)
    .filter(({ type, functionResponse }) => type !== "tool_result" && functionResponse === undefined)
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}
