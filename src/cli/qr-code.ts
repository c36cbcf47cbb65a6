import { encode } from "uqr";

/** Modules of light space around the code. */
const quietModules = 2;
/**
 * Escape sequence for black on white. It uses colour numbers that themes do not change, so that the code looks the same
 * on any background.
 */
const blackOnWhite = "\u001b[38;5;16;48;5;231m";
const reset = "\u001b[0m";

/**
 * Draws a text as a QR code, two modules per character. With colours, dark modules are black on white. Without colours,
 * light modules are drawn, as for a dark background. On a light background the code is then inverted; phones can read
 * it all the same.
 * @returns the lines; none if the code is wider than `maxCells`
 */
export function drawQrCode(
  text: string,
  maxCells: number,
  { isColorSupported }: { readonly isColorSupported: boolean },
): readonly string[] {
  const { data, size } = encode(text, { ecc: "L", border: quietModules });
  if (size > maxCells) return [];
  const isInked = (row: number, column: number): boolean => {
    const isDark = data[row]?.[column] === true;
    return isColorSupported ? isDark : !isDark && row < size;
  };
  const drawPair = (row: number) =>
    Array.from({ length: size }, (_, column) => block(isInked(row, column), isInked(row + 1, column))).join("");
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, index) => drawPair(2 * index));
  return isColorSupported ? lines.map((line) => blackOnWhite + line + reset) : lines;
}

function block(isUpper: boolean, isLower: boolean): string {
  if (isUpper) return isLower ? "█" : "▀";
  return isLower ? "▄" : " ";
}
