import type { SetupSteps } from "../../../../core/setup-guide.ts";
import { type CliContext, lineCells } from "../../../context.ts";
import { drawQrCode } from "../../../qr-code.ts";
import { say } from "../../../say.ts";

/** Prints steps for the user and, at a terminal with enough room, their address as a QR code. */
export function printSteps({ lines, address }: SetupSteps, context: CliContext): void {
  for (const line of lines) say(line, context, 2);
  if (address === undefined || !context.terminal) return;
  for (const line of drawQrCode(address, lineCells(context), context.colors)) context.print(line);
}
