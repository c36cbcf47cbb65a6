import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { drawQrCode } from "../../../../../src/cli/commands/config/add/find-answer.ts";

/** Decoder of another author than the encoder's. */
const readCode = createRequire(import.meta.url)("jsqr").default as typeof import("jsqr")["default"];

/** Pixels on each side of a module, as a camera sees them. */
const scale = 6;

/** Empty terminal around the code, in cells. */
const margin = 4;

const light = 255;
const dark = 0;

/** Draws a picture of a terminal that shows lines, with square modules in the colours of the lines. */
function photograph(lines: readonly string[], background: number): { data: Uint8ClampedArray; width: number } {
  const isColored = lines.some((line) => line.includes("\u001b[38;5;16;48;5;231m"));
  const cells = lines.map((line) => [...line.replace(/\u001b\[[\d;]*m/g, "")]);
  const inkOnPaper = isColored || background === light ? [dark, light] : [light, dark];
  const shadeAt = (row: number, column: number): number => {
    const cell = cells[Math.floor(row / 2)]?.[column];
    if (cell === undefined) return background;
    const isInked = cell === "█" || cell === (row % 2 === 0 ? "▀" : "▄");
    return inkOnPaper[isInked ? 0 : 1] ?? background;
  };
  const size = ((cells[0]?.length ?? 0) + 2 * margin) * scale;
  const data = new Uint8ClampedArray(size * size * 4).fill(light);
  for (let at = 0; at < size * size; at += 1) {
    const [row, column] = [Math.floor(at / size / scale), Math.floor((at % size) / scale)];
    data.fill(shadeAt(row - margin, column - margin), at * 4, at * 4 + 3);
  }
  return { data, width: size };
}

function decode(lines: readonly string[], background: number, inversionAttempts: "dontInvert" | "attemptBoth") {
  const { data, width } = photograph(lines, background);
  return readCode(data, width, width, { inversionAttempts })?.data;
}

const addresses = [
  "https://ntfy.sh/beckon-7q3xkp2mznw4",
  "https://t.me/my_beckon_bot",
  "https://push.example.org:8443/notifications/beckon-7q3xkp2mznw4",
  "https://ntfy.sh/ünïcode-テスト",
];

describe("a QR code", () => {
  test.each(addresses)("of %s is read on a dark and on a light background, black on white", (address) => {
    const lines = drawQrCode(address, 80, { isColorSupported: true });
    for (const background of [dark, light]) expect(decode(lines, background, "dontInvert")).toBe(address);
  });

  test.each(addresses)("of %s is read without colours, inverted on a light background", (address) => {
    const lines = drawQrCode(address, 80, { isColorSupported: false });
    expect(lines.join("")).not.toContain("\u001b");
    expect(decode(lines, dark, "dontInvert")).toBe(address);
    expect(decode(lines, light, "attemptBoth")).toBe(address);
  });

  test("of a suggested topic fits a terminal of 80 by 24 cells, with room for a question below it", () => {
    const lines = drawQrCode(addresses[0] ?? "", 80, { isColorSupported: false });
    expect(lines.length).toBeLessThanOrEqual(18);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test("is left out if the terminal is too narrow", () => {
    expect(drawQrCode(addresses[0] ?? "", 20, { isColorSupported: true })).toEqual([]);
  });
});
