import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeRecord, encodeRecord, maxStoredBytes, type RecordHeader } from "../../src/spool/record.ts";

const runs = { numRuns: 300 };
const text = fc.string({ unit: "binary" });
const header: fc.Arbitrary<RecordHeader> = fc
  .record({
    event: text,
    agent: fc.option(text),
    cwd: fc.option(text),
    processes: fc.option(fc.array(fc.integer({ min: 2 }), { maxLength: 8 })),
    wait: fc.option(fc.double({ min: 0, minExcluded: true, noDefaultInfinity: true, noNaN: true })),
    to: fc.option(fc.array(text, { maxLength: 3 })),
    state: fc.option(fc.jsonValue()),
  })
  .map(({ event, agent, cwd, processes, wait, to, state }) => ({
    v: 1,
    event,
    ...(agent && { agent }),
    ...(cwd && { cwd }),
    ...(processes && { processes }),
    ...(wait && { wait }),
    ...(to && { to }),
    ...(state !== null && { state: JSON.parse(JSON.stringify(state)) as unknown }),
  }));
/** Bytes, line ends, and near misses of an end line. */
const ends = fc.constantFrom("\n", '\n{"end":0}', '{"end":0}\r\n', '{"v":1}\n').map(Buffer.from);
const bytes = fc.oneof(fc.uint8Array({ maxLength: 20 }), ends);
const payload = fc.array(bytes, { maxLength: 8 }).map((parts) => Buffer.concat(parts));
const end = fc.constantFrom(0, 1, 124, 153);

describe("a record", () => {
  test("preserves its payload byte for byte", () => {
    const check = (first: RecordHeader, bytes: Buffer, code: number) => {
      const record = decodeRecord(encodeRecord(first, bytes, code));
      expect(record?.header).toEqual(first);
      expect(record?.payload.equals(bytes)).toBe(true);
      expect(record?.end).toBe(code);
    };
    const anyPayload = fc.oneof(payload, fc.constant(Buffer.from('{}\n{"end":0}\n')));
    fc.assert(fc.property(header, anyPayload, end, check), runs);
  });

  test("is refused if it is cut off anywhere", () => {
    const check = (first: RecordHeader, bytes: Buffer, code: number, part: number) => {
      // Only a payload that itself contains an end line is ambiguous.
      fc.pre(!bytes.includes('\n{"end":0}\n') && !bytes.subarray(0, 10).includes('{"end":0}\n'));
      const whole = encodeRecord(first, bytes, code);
      expect(decodeRecord(whole.subarray(0, Math.floor(part * whole.length)))).toBeUndefined();
    };
    const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(fc.property(header, payload, end, part, check), runs);
  });

  test.each([
    ["nothing", ""],
    ["an end line alone", '\n{"end":0}\n'],
    ["no header", '{"hook_event_name":"Stop"}\n{"end":0}\n'],
    ["a header that is not JSON", '{"v":1,\n{}\n{"end":0}\n'],
    ["a header that is null", 'null\n{}\n{"end":0}\n'],
    ["a newer version", '{"v":3,"event":"Stop"}\n{}\n{"end":0}\n'],
    ["no event", '{"v":1}\n{}\n{"end":0}\n'],
    ["an event that is not a text", '{"v":1,"event":5}\n{}\n{"end":0}\n'],
    ["no payload line", '{"v":1,"event":"Stop"}\n{"end":0}\n'],
    ["an end that is not a number", '{"v":1,"event":"Stop"}\n{}\n{"end":x}\n'],
    ["an end of four digits", '{"v":1,"event":"Stop"}\n{}\n{"end":1000}\n'],
    ["text after the end", '{"v":1,"event":"Stop"}\n{}\n{"end":0}\n '],
    ["Windows line ends", '{"v":1,"event":"Stop"}\r\n{}\r\n{"end":0}\r\n'],
  ])("is not decoded from %s", (_, bytes) => {
    expect(decodeRecord(Buffer.from(bytes))).toBeUndefined();
  });

  test("may have an empty payload, as from a killed agent", () => {
    const record = decodeRecord(Buffer.from('{"v":1,"event":"Stop"}\n\n{"end":0}\n'));
    expect(record).toEqual({ header: { v: 1, event: "Stop" }, payload: Buffer.alloc(0), end: 0 });
  });

  test("is timed out if the timer's program was ended by a signal, as in BusyBox and perl", () => {
    const readEnd = (end: number) => decodeRecord(Buffer.from(`{"v":1,"event":"Stop"}\n\n{"end":${end}}\n`))?.end;
    const ends = [0, 1, 124, 128, 129, 142, 143, 153, 255].map(readEnd);
    expect(ends).toEqual([0, 1, 124, 128, 124, 124, 124, 153, 124]);
  });

  test("is decoded without empty texts and unknown header fields", () => {
    const first = '{"v":1,"event":"Stop","agent":"","cwd":"","new":1,"__proto__":{"x":1}}';
    expect(decodeRecord(Buffer.from(`${first}\n{}\n{"end":0}\n`))?.header).toEqual({ v: 1, event: "Stop" });
  });

  const display = { DISPLAY: ":0" };
  test.each<[string, unknown, object]>([
    ["all valid variables", { TMUX_PANE: "%1", DISPLAY: ":0" }, { terminal: { TMUX_PANE: "%1", DISPLAY: ":0" } }],
    ["only the valid ones", { TMUX_PANE: "%1;kill-server", WINDOWID: 7, ...display }, { terminal: display }],
    ["only known variables", { PATH: "/tmp", KITTY_PID: "7", __proto__: { DISPLAY: ":0" } }, {}],
    ["no variables from a text", "DISPLAY=:0", {}],
    ["no variables from a list", [":0"], {}],
  ])("is decoded with %s of its terminal", (_, terminal, found) => {
    const bytes = Buffer.from(`${JSON.stringify({ v: 1, event: "Stop", terminal })}\n{}\n{"end":0}\n`);
    expect(decodeRecord(bytes)?.header).toEqual({ v: 1, event: "Stop", ...found });
  });

  test("is a header line, the payload and an end line, as the launcher writes it", () => {
    const record = encodeRecord({ v: 1, event: "Stop", agent: "droid", cwd: "/a" }, Buffer.from('{"a":1}'));
    expect(record.toString()).toBe('{"v":1,"event":"Stop","agent":"droid","cwd":"/a"}\n{"a":1}\n{"end":0}\n');
  });

  test("never throws, whatever the bytes", () => {
    const anyBytes = fc.oneof(payload, fc.uint8Array().map(Buffer.from));
    const property = fc.property(anyBytes, (some) => void decodeRecord(some));
    fc.assert(property, runs);
  });
});

test("the launcher stops writing a record at the declared size limit", () => {
  const launcher = readFileSync(new URL("../../hooks/hook.sh", import.meta.url), "utf8");
  const blocks = Number(/^ *ulimit -f (\d+)/m.exec(launcher)?.[1]);
  expect(blocks * 512).toBe(maxStoredBytes);
});
