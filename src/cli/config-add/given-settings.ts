import { didYouMean } from "../../config/did-you-mean.ts";
import { secretsIn } from "../../config/secrets.ts";
import { referencePattern } from "../../core/secret.ts";
import { UsageError } from "../errors.ts";
import { type Question, readAnswer } from "../commands/config/add/questions.ts";

/**
 * The settings that the command line gave: `key=value` texts, and secrets of which it names the keys alone.
 * @param secretLines what standard input holds, a line for each of these
 * @throws {UsageError} for what is wrong, and for a secret that stands in a `key=value`
 */
export function readGiven(
  set: readonly string[],
  secretKeys: readonly string[],
  secretLines: readonly string[],
  questions: readonly Question[],
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const text of set) {
    const [key, value] = readPair(text, questions);
    if (key.secret && !referencePattern.test(value)) {
      throw new UsageError(
        `${key.key} is a secret, and others can read a command line`,
        `Use --secret ${key.key} and pipe it, or a reference: --set '${key.key}=\${env:NAME}'`,
      );
    }
    settings[key.key] = answered(key, value);
    if (secretsIn(key.schema, settings[key.key]).some((text) => !referencePattern.test(text))) {
      throw new UsageError(
        `${key.key} holds a secret, and others can read a command line`,
        "Give a reference in its place: ${env:NAME} or ${file:/path}",
      );
    }
  }
  for (const [index, name] of secretKeys.entries()) {
    const question = questionNamed(name, questions);
    const line = secretLines[index] ?? "";
    if (line === "") {
      throw new UsageError(
        `nothing came for ${name} on standard input`,
        "Pipe a line for each --secret, in their order.",
      );
    }
    settings[name] = answered(question, line);
  }
  return settings;
}

function readPair(text: string, questions: readonly Question[]): [Question, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--set takes key=value, not ${JSON.stringify(text)}`, "Example: --set threadId=42");
  return [questionNamed(text.slice(0, at), questions), text.slice(at + 1)];
}

function questionNamed(name: string, questions: readonly Question[]): Question {
  const found = questions.find(({ key }) => key === name);
  if (found) return found;
  throw new UsageError(
    `there is no setting ${name}`,
    didYouMean(
      name,
      questions.map(({ key }) => key),
    ),
  );
}

/** @throws {UsageError} where the text is no answer */
export function answered(question: Question, text: string): unknown {
  const read = readAnswer(question, text);
  if ("problem" in read) throw new UsageError(read.problem, question.description);
  return read.value;
}
