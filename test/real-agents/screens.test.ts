import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linesOn, printedLines, readRequestLines } from "./screens.ts";

const file = join(process.env["HOME"] ?? "", "terminal.raw");

test("lines are compared without numbers, ids and drawing characters", () => {
  const resumed = "gemini --resume 2df2e4fa-0f56-4574-8b45-ce9523adcc76\n\n…";
  const screens = { one: "╭────╮\n│ Worked for 3.5 s │", two: resumed };
  expect([...linesOn(screens)]).toEqual(["Worked for # s", "gemini --resume ID"]);
});

test("lines about hooks are found in the stream, whether coloured, overwritten or neither", () => {
  writeFileSync(file, "\u001b[1mrunning \u001b[32mStop\u001b[0m hook\u001b[2K\r\u001b[1;1Hplain\u001b[5Cwords\r\n");
  expect(printedLines(file, 0)).toEqual(["running Stop hook"]);
});

test("output before the starting byte is left out", () => {
  writeFileSync(file, "Review hooks\n~/.beckon/hook Stop\n");
  expect(printedLines(file, "Review hooks\n".length)).toEqual(["~/.beckon/hook Stop"]);
  expect(printedLines(`${file}.absent`, 0)).toEqual([]);
});

test("model input is compared line by line, without ids, wherever it is in a request", () => {
  const uuid = (id: string) => `019d42a7-3${id.slice(-3)}-7123-8456-0123456789ab`;
  const text = (id: string) => `Do 3 things\nwith call_${id}\nChunk ID: ${id.slice(-6)}\n${uuid(id)}: ready`;
  const request = (id: string) => ({ messages: [{ id, content: [{ text: text(id) }] }], n: 1 });
  const lines = ["mwr7uakd29", "mwr7ubbf31"].map((id) =>
    JSON.stringify({ path: "/v1", body: JSON.stringify(request(id)) }),
  );
  writeFileSync(file, `${lines.join("\n")}\n${JSON.stringify({ path: "/v1/models", unknown: true })}\n`);
  expect(readRequestLines(file)).toEqual(["ID", "Do # things", "with ID", "Chunk ID: ID", "ID: ready"]);
  expect(readRequestLines(`${file}.absent`)).toEqual([]);
});
