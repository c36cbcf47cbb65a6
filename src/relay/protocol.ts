import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { sentSchema } from "./envelope.ts";

/**
 * What is said between a machine with agents (`relay serve --stdio`) and the person's own (`relay run`), over any two
 * pipes: a line of JSON each, until one side hangs up.
 *
 *     serve → {"beckon":1,"version":"0.1.0","nowMs":1763…}    its greeting, as soon as it runs
 *     run   → {"beckon":1,"version":"0.1.0","window":64}      only then: until here a shell may read
 *     serve → {"envelope":{…}} at most `window` of each urgency that are not acknowledged run → {"ack":["r_…"]} once
 *     each is stored: it is deleted there run → {"seen":["r_…"]} what the person has seen here run → {"ping":1} serve →
 *     {"pong":1} every five seconds
 */
export const protocolVersion = 1;

const helloSchema = z.object({
  beckon: z.number().int(),
  version: z.string().max(40),
});
const ids = z.array(z.string().max(64)).max(10_000);

/** What serve says. Of a line that fits none of it nothing is known. */
export const servedSchema = z.union([
  helloSchema.extend({ nowMs: z.number() }),
  z.object({ envelope: sentSchema }),
  z.object({ pong: z.number() }),
]);
export type Served = z.output<typeof servedSchema>;

/** What the person's machine says. */
export const askedSchema = z.union([
  helloSchema.extend({ window: z.number().int().min(1).max(1_000) }),
  z.object({ ack: ids }),
  z.object({ seen: ids }),
  z.object({ ping: z.number() }),
]);
export type Asked = z.output<typeof askedSchema>;

/** How often the person's machine asks whether the other is there, and when a silent one is given up, milliseconds. */
export const pingEveryMs = 5_000;
export const silentMs = 15_000;

/** Longest line: an envelope, and what may stand around it. */
const maxLineBytes = 256 * 1024;

/** Most lines that are read before other work gets its turn. */
const turnLines = 256;

/** A line was longer than any that the other side has a reason to send. */
class LineTooLongError extends Error {
  override readonly name = "LineTooLongError";
}

/**
 * The lines of a stream.
 * @throws {LineTooLongError} at 256 KiB without a line feed, of which no more than that is kept
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let count = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? "";
    if (rest.length > maxLineBytes) throw new LineTooLongError(`a line is longer than ${maxLineBytes / 1024} KiB`);
    for (const line of lines) {
      yield line;
      count += 1;
      if (count % turnLines === 0) await nextTurn();
    }
  }
}

/** What a line says; undefined where it is none of the schema's: a shell's own words, a newer version's. */
export function readLine<Said>(line: string, schema: z.ZodType<Said>): Said | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** Says something, and waits until the other side has taken most of it. Nothing is said to one that has hung up. */
export async function say(stream: Writable, said: Served | Asked): Promise<void> {
  if (!stream.writable || stream.write(`${JSON.stringify(said)}\n`)) return;
  const taken = Promise.race([once(stream, "drain"), once(stream, "close")]);
  await taken.catch(() => {}); // it has just hung up, which is told by the end of what it says
}
