import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import { defineNotifier } from "../core/notifier.ts";
import { passThrough, protocolOf, protocols, sequence } from "../core/terminal-sequence.ts";

export const terminal = defineNotifier({
  name: "terminal",
  summary: "A notice of the terminal the agent runs in, and its bell. Linux only; through tmux and screen, too.",
  source: "https://sw.kovidgoyal.net/kitty/desktop-notifications/",
  settings: z.object({
    protocol: z
      .enum(["auto", ...protocols])
      .default("auto")
      .describe(
        "`osc9` (iTerm2, WezTerm, Ghostty, Windows Terminal), `osc777` (foot, urxvt), `osc99` (kitty) or `bell` alone. `auto` looks at the agent's environment.",
      ),
    bell: z.boolean().default(true).describe("Whether the bell rings as well, except for `info`."),
  }),
  example: { protocol: "osc9" },
  budgetMs: 3_000,
  // 256 bytes in all, of which a control sequence takes some.
  limits: { unit: "bytes", title: 64, body: 140 },
  reach: "machine",
  platforms: ["linux"],
  retries: false,
  async send({ settings, message: { title, body, kind, id }, processes, ports }) {
    const found = await ports.terminal.of(processes);
    if (!found) {
      const hint = "It works for agents that run in a terminal of this machine; `beckon test` tries its own.";
      throw new DeliveryError("unsupported", "the agent has no terminal, or it is gone", { hint });
    }
    const protocol = settings.protocol === "auto" ? protocolOf(found.env) : settings.protocol;
    const notice = sequence(protocol, { title, body, id, urgent: kind === "needs-you" });
    const bell = settings.bell && kind !== "info" ? "\u0007" : "";
    await found.write(passThrough(notice, found.env) + bell);
  },
});
