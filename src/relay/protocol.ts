import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { parseJson } from "../core/json-value.ts";
import { rawEnvelopeSchema } from "./envelope.ts";

/**
 * Version of the protocol between a machine with agents (`relay serve --stdio`) and the user's own machine (`relay
 * run`). Both sides write lines of JSON to a pipe until one side hangs up.
 *
 *     serve → {"beckon":1,"version":"0.1.0","nowMs":1763…}  handshake
 *     run   → {"beckon":1,"version":"0.1.0","window":64}    reply. Before the handshake, a shell would read it
 *     serve → {"envelope":{…}}                              at most `window` unacknowledged envelopes for each urgency
 *     run   → {"ack":["r_…"]}                               `run` has stored these envelopes, so `serve` deletes them
 *     run   → {"seen":["r_…"]}                              the user has seen these events on their own machine
 *     run   → {"ping":1}, serve → {"pong":1}                every five seconds
 */
export const protocolVersion = 1;

const helloSchema = z.object({ beckon: z.number().int(), version: z.string().max(40) });
const ids = z.array(z.string().max(64)).max(10_000);

/** Lines that `serve` sends. The receiver ignores all other lines. */
export const serveMessageSchema = z.union([
  helloSchema.extend({ nowMs: z.number() }),
  z.object({ envelope: rawEnvelopeSchema }),
  z.object({ pong: z.number() }),
]);
export type ServeMessage = z.output<typeof serveMessageSchema>;

/** Lines that `run` sends. */
export const runMessageSchema = z.union([
  helloSchema.extend({ window: z.number().int().min(1).max(1_000) }),
  z.object({ ack: ids }),
  z.object({ seen: ids }),
  z.object({ ping: z.number() }),
]);
export type RunMessage = z.output<typeof runMessageSchema>;

/** Interval at which the user's machine sends pings, milliseconds. */
export const pingEveryMs = 5_000;
export const silenceTimeoutMs = 15_000;

/** Maximum size of a line, bytes. A line holds an envelope and some JSON around it. */
const maxLineBytes = 256 * 1024;

/** Maximum number of lines read before other work gets a turn. */
const linesPerTurn = 256;

/**
 * Yields the lines of a stream. Buffers at most 256 KiB.
 * @throws {Error} after 256 KiB without a line feed
 */
export async function* readLines(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let count = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? "";
    if (rest.length > maxLineBytes) throw new Error(`a line is longer than ${maxLineBytes / 1024} KiB`);
    for (const line of lines) {
      yield line;
      count += 1;
      if (count % linesPerTurn === 0) await nextTurn();
    }
  }
}

/** Parses a line; undefined if it does not match the schema: shell output, or a line from a newer version. */
export function readLine<Message>(line: string, schema: z.ZodType<Message>): Message | undefined {
  return line.startsWith("{") ? schema.safeParse(parseJson(line)).data : undefined;
}

/** Sends a line and waits until the pipe can take the next line. Does nothing if the other side has hung up. */
export async function send(stream: Writable, message: ServeMessage | RunMessage): Promise<void> {
  if (!stream.writable || stream.write(`${JSON.stringify(message)}\n`)) return;
  const drained = Promise.race([once(stream, "drain"), once(stream, "close")]);
  await drained.catch(() => {}); // the other side has hung up; the end of its output reports that
}
