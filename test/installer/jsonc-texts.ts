import fc from "fast-check";
import { droidCommand } from "../world/settings-tasks.ts";

const spaces = ["", "", "", " ", "\n", "\r\n  ", "\t"];
const trivia = fc.constantFrom(...spaces, " /* c */ ", " // l\n", "\n// own line\n  ", "/**/");

/** Renders a value as JSON with random comments, layout and trailing commas. */
function rendered(value: unknown, draw: () => string, comma: () => boolean): string {
  const t = draw;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${t()}${rendered(item, draw, comma)}${t()}`);
    return `[${items.join(",")}${items.length > 0 && comma() ? "," : ""}${t()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${t()}${JSON.stringify(key)}${t()}:${t()}${rendered(item, draw, comma)}${t()}`,
    );
    return `{${members.join(",")}${members.length > 0 && comma() ? "," : ""}${t()}}`;
  }
  return JSON.stringify(value);
}

const otherCommand = fc.constantFrom("say done", "echo ~/.beckon/hook Stop", "a || :", "ü 'q' \"d\" \\", "");
const command = fc.oneof(
  { weight: 3, arbitrary: otherCommand },
  { weight: 1, arbitrary: fc.constantFrom(droidCommand("Stop"), "~/.beckon/hook Stop --agent claude --wait 3 || :") },
);
const ofCommand = { type: fc.constant("command"), command, timeout: fc.nat(99) };
const hook = fc.oneof(
  { weight: 4, arbitrary: fc.record(ofCommand, { requiredKeys: ["type", "command"] }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("prompt"), prompt: fc.string() }) },
);
const members = { matcher: fc.constantFrom("", "*", "Edit|Write"), hooks: fc.array(hook, { maxLength: 3 }) };
const group = fc.record(members, { requiredKeys: ["hooks"] });
const flatHook = fc.oneof(
  { weight: 4, arbitrary: fc.record({ command, timeout: fc.nat(99) }, { requiredKeys: ["command"] }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("command"), bash: command, timeoutSec: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("http"), url: fc.string() }) },
);
const drawEvents = (element: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom("Notification", "Stop", "PreToolUse"), fc.array(element, { maxLength: 3 }), {
    noNullPrototype: true,
  });
const otherKey = fc.string({ maxLength: 5 }).filter((key) => !/^(?:hooks|version|__proto__|[A-Z].*)$/.test(key));
const others = fc.dictionary(otherKey, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true });

/** Generates a value in any layout: random comments, line ends and trailing commas. */
export function drawJsonc(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const layouts = fc.array(trivia, { minLength: 1, maxLength: 40 });
  const endings = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
  return fc.tuple(values, layouts, endings).map(([value, pieces, commas]) => {
    let piece = 0;
    let comma = 0;
    const draw = () => pieces[piece++ % pieces.length] ?? "";
    return draw() + rendered(value, draw, () => commas[comma++ % commas.length] === true) + draw();
  });
}

/**
 * Generates settings files that agents with a tolerant parser accept: with other hooks and older beckon entries, in any
 * layout, among unrelated members.
 */
export function jsoncSettings(shape: "wrapped" | "bare" | "flat"): fc.Arbitrary<string> {
  const events = drawEvents(shape === "flat" ? flatHook : group);
  return drawJsonc(
    fc.tuple(others, fc.option(events, { nil: undefined }), others).map(([before, hooks, after]) => {
      const map = shape === "bare" ? hooks : hooks && { ...(shape === "flat" ? { version: 1 } : {}), hooks };
      return { ...before, ...map, ...after };
    }),
  );
}
