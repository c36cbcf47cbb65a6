import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { agents } from "../src/agents/registry.ts";
import { csvLine } from "../src/cli/commands/service/output/csv.ts";
import { decodeMessage, encodeMessage, messageTypes } from "../src/io/bus-message.ts";
import { parseCookies } from "../src/io/presence/x11.ts";
import { parseJournal } from "../src/journal/journal-line.ts";
import { envelopeSchema, rawEnvelopeSchema } from "../src/relay/envelope.ts";
import { readLine, readLines, runMessageSchema, serveMessageSchema } from "../src/relay/protocol.ts";
import { decodeRecord, encodeRecord } from "../src/spool/record.ts";
import { escapeHtml } from "../src/text/html.ts";
import { mask } from "../src/text/mask/mask.ts";
import { summarize } from "../src/text/summary.ts";
import { measureCpuMs } from "./core/cpu-time.ts";
import { mulberry32 } from "./text/mask/secret-corpus.ts";
import { collectFailures } from "./world/collect-failures.ts";

const seed = 20_261_125;
const maxCpuMs = 1_500;

const envelope = {
  ...{ specversion: "1.0", id: `r_${"a".repeat(43)}`, source: "beckon://desk", type: "io.beckon.agent.needs-you.v1" },
  ...{ time: "2026-11-25T12:00:00Z", subject: "s", datacontenttype: "application/json", data: { event: "Stop" } },
};
const call = { type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } };
const turn = [
  { type: "user", message: { role: "user", content: "fix <b>it</b>" }, timestamp: "2026-11-25T12:00:00Z" },
  { type: "assistant", message: { id: "m", role: "assistant", content: [{ type: "text", text: "Done." }, call] } },
];

/** Readers of foreign bytes, each with its input and its possible errors. */
const readers: Readonly<Record<string, { readonly sample: Buffer; readonly read: (bytes: Buffer) => unknown }>> = {
  "a D-Bus message": {
    sample: encodeMessage({
      ...{ type: messageTypes.reply, serial: 7, replySerial: 3, sender: ":1.5", signature: "sa{sv}as" },
      body: ["text", [["key", { signature: "u", value: 5 }]], ["one", "two"]],
    }),
    read: (bytes) => ignoring(RangeError, () => decodeMessage(bytes)),
  },
  "X11 cookies": {
    sample: Buffer.from("\u0001\0\0\u0004host\0\u00010\0\u0004name\0\u0002xy", "latin1"),
    read: parseCookies,
  },
  "a spool record": {
    sample: encodeRecord({ v: 1, event: "Stop", agent: "claude" }, Buffer.from('{"message":"hi"}')),
    read: decodeRecord,
  },
  "a relay line": {
    sample: Buffer.from(`${JSON.stringify({ envelope })}\n${JSON.stringify({ ack: [envelope.id] })}\n`),
    read: async (bytes) => {
      const stream = Readable.from([bytes.subarray(0, 20), bytes.subarray(20)]);
      try {
        for await (const line of readLines(stream))
          [readLine(line, serveMessageSchema), readLine(line, runMessageSchema)];
      } catch (error) {
        expect((error as Error).message).toBe("a line is longer than 256 KiB");
      }
    },
  },
  "an envelope": {
    sample: Buffer.from(JSON.stringify(envelope)),
    read: (bytes) =>
      ignoring(SyntaxError, () => {
        const value: unknown = JSON.parse(bytes.toString());
        return [rawEnvelopeSchema.safeParse(value), envelopeSchema.safeParse(value)];
      }),
  },
  "a journal": {
    sample: Buffer.from(`${JSON.stringify({ at: "2026-11-25T12:00:00Z", id: "a", status: "sent" })}\n`),
    read: (bytes) => parseJournal(bytes.toString()),
  },
  "a transcript": {
    sample: Buffer.from(turn.map((line) => `${JSON.stringify(line)}\n`).join("")),
    read: (bytes) => {
      const text = bytes.toString();
      for (const { transcript } of agents) transcript?.read({ head: text.slice(0, 200), tail: text, companion: text });
    },
  },
  "a text that is shown": {
    sample: Buffer.from("**Done**: the password is hunter2x9 <details>\n| a | b |\n|---|---|\n| 1 | `x` |\n\nGo on?"),
    read: (bytes) => {
      const text = bytes.toString();
      const [summary, masked, cell] = [summarize(text), mask(text), csvLine([text, { text }])];
      expect(escapeHtml(summary + masked)).not.toMatch(/[<>"']/);
      expect(cell).not.toMatch(/(?:^|,)"?[=+@-]/);
      expect(summarize(summary).length).toBeLessThanOrEqual(summary.length + 1);
    },
  },
};

/** Corruptions of bytes, made from a sample and random numbers. */
const faults: Readonly<Record<string, (sample: Buffer, random: (below: number) => number) => Buffer>> = {
  "cut off": (sample, random) => sample.subarray(0, random(sample.length)),
  "with the beginning gone": (sample, random) => sample.subarray(random(sample.length)),
  "with other bytes in it": (sample, random) => {
    const copy = Buffer.from(sample);
    for (let count = 0; count < 8; count += 1) copy.writeUInt8(random(256), random(copy.length));
    return copy;
  },
  "with a stretch of 0xff": (sample, random) => {
    const at = random(sample.length);
    return Buffer.concat([sample.subarray(0, at), Buffer.alloc(8, 0xff), sample.subarray(at + 8)]);
  },
  "with zeros in it": (sample, random) => {
    const at = random(sample.length);
    return Buffer.concat([sample.subarray(0, at), Buffer.alloc(random(64)), sample.subarray(at)]);
  },
  "in a thousand copies": (sample) => Buffer.concat(Array(1_000).fill(sample)),
  "with a piece repeated 100,000 times": (sample, random) => {
    const at = random(sample.length);
    const piece = sample.subarray(at, at + 1 + random(4));
    return Buffer.concat([sample.subarray(0, at), ...Array(100_000).fill(piece), sample.subarray(at)]);
  },
  "with 50,000 open brackets": (sample, random) => {
    const at = random(sample.length);
    return Buffer.concat([sample.subarray(0, at), Buffer.from("[{(<".repeat(12_500)), sample.subarray(at)]);
  },
  "with two parts in each other's place": (sample, random) => {
    const at = random(sample.length);
    return Buffer.concat([sample.subarray(at), sample.subarray(0, at)]);
  },
  "with signs of every kind": (sample, random) => {
    const at = random(sample.length);
    const signs = Buffer.from("=cmd|\u202e\u2028\u001b]0;x\u0007</script>${env:HOME}`$(id)`@everyone\ud83d\0");
    return Buffer.concat([sample.subarray(0, at), signs, sample.subarray(at)]);
  },
};

async function ignoring(expected: new (...args: never) => Error, act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    expect(error).toBeInstanceOf(expected);
  }
}

test("every reader ends with a value or its own error, however corrupt the bytes", async () => {
  const random = mulberry32(seed);
  const number = (below: number): number => Math.floor(random() * Math.max(1, below));
  const rows = Object.keys(readers).flatMap((reader) => Object.keys(faults).map((fault) => `${reader} ${fault}`));
  const check = async (row: string): Promise<void> => {
    const [name = ""] = Object.keys(readers).filter((reader) => row.startsWith(reader));
    const { sample, read } = readers[name] ?? expect.fail(name);
    const damage = faults[row.slice(name.length + 1)] ?? expect.fail(row);
    for (let round = 0; round < 5; round += 1) {
      const bytes = damage(sample, number);
      let ended: unknown;
      const cpuMs = measureCpuMs(() => {
        ended = read(bytes);
      });
      await ended;
      expect(cpuMs).toBeLessThan(maxCpuMs);
    }
  };
  expect(rows.length).toBe(80);
  expect(await collectFailures(rows, check)).toEqual([]);
}, 120_000);
