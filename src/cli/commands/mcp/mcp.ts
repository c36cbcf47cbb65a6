import type { RegisterCommand } from "../../context.ts";

const help = `
Agents start this command themselves. To register it with them: beckon install --mcp`;

/** Declares `beckon mcp`: serves tools to an agent over standard input and output. */
export const registerMcp: RegisterCommand = (command, run) => {
  command
    .addHelpText("after", help)
    .action(() => run(async (context) => (await import("./serve-tools.ts")).serveTools(context)));
};
