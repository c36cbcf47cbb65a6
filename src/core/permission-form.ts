import { createHash } from "node:crypto";
import { asObject, asText, isObject, type JsonObject, parseJson, toList } from "./json-value.ts";
import { type Answer, buildAllowWith, buildReply, decisionHead, isReply } from "./permission-reply.ts";

/** Question of an agent with the answers that it offers. */
export interface FormQuestion {
  readonly text: string;
  /** Offered answers: their labels, and what else the agent says about each. */
  readonly options: readonly { readonly label: string; readonly details: readonly string[] }[];
  /** Number of the first option. The options of all questions are numbered through, from 1. */
  readonly first: number;
  /** True if several answers may be chosen. */
  readonly isMultiple: boolean;
}

/** Call of an agent's own tool that asks the user something else than permission. */
export interface PermissionForm {
  readonly input: JsonObject;
  /** Questions; none for a plan that the user approves or refuses. */
  readonly questions: readonly FormQuestion[];
}

/** Maximum number of options of a form, over all questions. */
const maxOptions = 32;

/** Reads the form in a hook's payload; undefined for any other tool, and for a form that cannot be answered exactly. */
export function readForm({ tool_name, tool_input }: JsonObject): PermissionForm | undefined {
  const input = asObject(tool_input);
  // Without its text, a plan is in a file that may change.
  if (tool_name === "ExitPlanMode") return input && asText(input.plan) ? { input, questions: [] } : undefined;
  if (!input || tool_name !== "AskUserQuestion") return undefined;
  const questions: FormQuestion[] = [];
  let first = 1;
  for (const value of toList(input.questions)) {
    const question = readQuestion(value, first);
    if (!question || questions.some(({ text }) => text === question.text)) return undefined;
    questions.push(question);
    first += question.options.length;
  }
  return questions.length > 0 && first - 1 <= maxOptions ? { input, questions } : undefined;
}

function readQuestion(value: unknown, first: number): FormQuestion | undefined {
  const { question, options, multiSelect = false } = asObject(value) ?? {};
  const text = asText(question);
  const read = toList(options).map((option) => {
    const { label, ...others } = asObject(option) ?? {};
    const texts = Object.values(others).map((other) => (typeof other === "string" ? other : JSON.stringify(other)));
    return { label: asText(label) ?? "", details: texts };
  });
  const labels = new Set(read.map(({ label }) => label));
  const isClear = labels.size > 0 && labels.size === read.length && !labels.has("");
  if (text === undefined || typeof multiSelect !== "boolean" || !isClear) return undefined;
  return { text, options: read, first, isMultiple: multiSelect };
}

/** Adds an option to those that are chosen, in place of another of a question with one answer, or takes it away. */
export function togglePick({ questions }: PermissionForm, picks: readonly number[], pick: number): readonly number[] {
  if (picks.includes(pick)) return picks.filter((other) => other !== pick);
  const { first = 0, isMultiple, options = [] } = questions.findLast((question) => question.first <= pick) ?? {};
  if (pick >= first + options.length) return picks;
  const isOfSame = (other: number) => other >= first && other < first + options.length;
  return [...picks.filter((other) => isMultiple || !isOfSame(other)), pick].sort((a, b) => a - b);
}

/** Decision about a form: the numbers of the chosen options, or the user's own words for a single question. */
export type FormDecision = Pick<Answer, "picks" | "text">;

/**
 * Returns the answers by question, as the agent expects them; undefined unless each question has as many answers as it
 * may have. A plan has no answers.
 */
export function answersBy({ questions }: PermissionForm, { picks = [], text }: FormDecision) {
  const [only] = questions;
  if (text !== undefined) return only && questions.length === 1 && picks.length === 0 ? [[only.text, text]] : undefined;
  const answers = questions.map(({ options, first, ...question }) => {
    return { ...question, labels: options.flatMap(({ label }, at) => (picks.includes(first + at) ? label : [])) };
  });
  const isAnswered = answers.every(
    ({ labels, isMultiple }) => labels.length === 1 || (isMultiple && labels.length > 1),
  );
  const isOffered = answers.flatMap(({ labels }) => labels).length === picks.length;
  return isAnswered && isOffered ? answers.map((answer) => [answer.text, answer.labels.join(", ")]) : undefined;
}

/** Hash of a payload, in hexadecimal digits. It binds a decision to the very bytes that the hook has received. */
export function hashPayload(payload: Uint8Array): string {
  return createHash("sha256").update(payload).digest("hex");
}

/** Builds the decision that the worker writes for the hook of a form, one line. */
export function buildDecision(payloadHash: string, { picks, text }: FormDecision): string {
  const decision = { behavior: "allow", picks, text };
  return `${decisionHead}${payloadHash}",${JSON.stringify(decision).slice(1)}\n`;
}

/**
 * Builds the agent's reply from the worker's decision and the payload that the hook itself has received. The reply
 * repeats the payload's input, with nothing but the answers added. Undefined for a decision about another payload, and
 * for one that does not answer the form.
 */
export function buildFormReply(decision: string, payload: Buffer): string | undefined {
  if (isReply(decision)) return decision === buildReply("allow") ? undefined : decision;
  const { form: hash, behavior, picks, text, ...others } = asObject(parseJson(decision)) ?? {};
  const received = parseJson(payload.toString("utf8"));
  const form = isObject(received) ? readForm(received) : undefined;
  const isExact = hash === hashPayload(payload) && behavior === "allow" && Object.keys(others).length === 0;
  const isTyped =
    (picks === undefined || toList(picks).every(Number.isInteger)) && ["string", "undefined"].includes(typeof text);
  if (!form || !isExact || !isTyped) return undefined;
  const answers = answersBy(form, { picks: picks as readonly number[] | undefined, text: text as string | undefined });
  if (!answers) return undefined;
  const { input, questions } = form;
  return buildAllowWith(questions.length === 0 ? input : { ...input, answers: Object.fromEntries(answers) });
}
