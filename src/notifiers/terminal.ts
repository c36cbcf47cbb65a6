import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import { defineNotifier } from "../core/notifier.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { clean, oneLine } from "../text/clean.ts";

/** Control sequences that show a notification in terminals; `bell` only rings. */
export const protocols = ["osc9", "osc777", "osc99", "bell"] as const;
type Protocol = (typeof protocols)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Id of a notification, in the characters that OSC 99 allows and `sequence` keeps. */
const idSchema = z.string().regex(/^[\w-]{1,64}$/);

const esc = "\u001b";
const end = `${esc}\\`;

export const terminal = defineNotifier({
  name: "terminal",
  summary: "Shows a notification in the agent's terminal and rings its bell, also over SSH and inside tmux or screen.",
  source: "https://sw.kovidgoyal.net/kitty/desktop-notifications/",
  audience: "person",
  at: "desk",
  settings: z.object({
    protocol: z
      .enum(["auto", ...protocols])
      .default("auto")
      .describe(
        "`osc9` (iTerm2, WezTerm, Ghostty, Windows Terminal), `osc777` (foot, urxvt), `osc99` (kitty) or only the `bell`. `auto` chooses by the agent's environment.",
      ),
    bell: z.boolean().default(true).describe("Also ring the bell, except for `info`."),
  }),
  example: { protocol: "osc9" },
  budgetMs: 3_000,
  // A notification may have 256 bytes in total, including the control sequences.
  limits: { unit: "bytes", title: 64, body: 140 },
  reach: "machine",
  platforms: ["linux", "darwin", "freebsd", "openbsd", "netbsd"],
  retries: false,
  lifecycle: { withdrawn: "removed", condition: "only in kitty 0.36 or newer, while the agent runs" },
  verification: {
    check: async ({ settings, ports }) => {
      const found = settings.protocol === "bell" ? undefined : await ports.terminal.here();
      const obstacle = await found?.obstacle();
      return obstacle && settings.bell ? { ...obstacle, remains: "bell only" } : obstacle;
    },
  },
  async send({ settings, message: { title, body, kind, id: eventId }, thread, processes, terminal: recorded, ports }) {
    const found = await ports.terminal.of(processes, recorded);
    if (!found) {
      const hint = "The agent must run in a terminal of this machine; `beckon test` uses the terminal it runs in.";
      throw new DeliveryError("unsupported", "the agent has no terminal, or it was closed", { hint });
    }
    const protocol = protocolFor(settings.protocol, found.env);
    if (protocol === "bell" && !settings.bell) {
      const hint = "Set `bell` to true, or `protocol` to what the terminal understands.";
      throw new DeliveryError("unsupported", "the terminal shows no notifications, and `bell` is off", { hint });
    }
    // The id is new for each message, because a shared id would close the wrong notification.
    const id = thread ? `${thread.key}-${ports.clock.now().toString(36)}` : eventId;
    const notification = sequence(protocol, { title, body, id, urgent: kind === "needs-you" });
    const bell = settings.bell && kind !== "info" ? "\u0007" : "";
    const obstacle = protocol === "bell" ? undefined : await found.obstacle();
    if (obstacle && bell === "")
      throw new DeliveryError("unsupported", obstacle.message, omitUndefined({ hint: obstacle.hint }));
    await found.write((obstacle === undefined ? passThrough(notification, found.env) : "") + bell);
    if (obstacle !== undefined) return undefined;
    return protocol === "osc99" ? { id } : undefined;
  },
  // There is no `update`, because the terminal would show a closed notification again.
  async withdraw({ settings, receipt, processes, terminal: recorded, ports }) {
    const id = idSchema.safeParse(receipt["id"]).data;
    const found = id === undefined ? undefined : await ports.terminal.of(processes, recorded);
    if (id === undefined) return;
    if (!found)
      throw new DeliveryError("unsupported", "the agent's terminal is gone, and only it can close the notification");
    if (protocolFor(settings.protocol, found.env) !== "osc99") return; // other protocols cannot close a notification
    await found.write(passThrough(closing(id), found.env));
  },
});

function protocolFor(chosen: Protocol | "auto", env: Environment): Protocol {
  return chosen === "auto" ? detectProtocol(env) : chosen;
}

/** Detects a terminal's protocol from a program's environment. `bell` if the terminal is unknown. */
export function detectProtocol(env: Environment): Protocol {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  if (env["KITTY_WINDOW_ID"] !== undefined || TERM === "xterm-kitty") return "osc99";
  if (/^(iTerm\.app|WezTerm|ghostty|WarpTerminal)$/i.test(TERM_PROGRAM) || env["WT_SESSION"] !== undefined)
    return "osc9";
  // TERM is the only variable that ssh passes on.
  if (/^(xterm-ghostty|wezterm)$/.test(TERM)) return "osc9";
  // Multiplexers overwrite TERM and TERM_PROGRAM, but not these variables.
  if (env["LC_TERMINAL"] === "iTerm2" || env["GHOSTTY_RESOURCES_DIR"] || env["WEZTERM_EXECUTABLE"]) return "osc9";
  if (/^(foot|rxvt-unicode)/.test(TERM)) return "osc777";
  return "bell";
}

/**
 * Builds the control sequence of a notification; empty for `bell`. No text can end a field or the sequence early: `;`,
 * which separates the fields of OSC 777, is replaced, and OSC 99 texts are in base64.
 * https://iterm2.com/documentation-escape-codes.html · https://sw.kovidgoyal.net/kitty/desktop-notifications/
 */
export function sequence(
  protocol: Protocol,
  { title, body, id, urgent }: Pick<Message, "title" | "body" | "id"> & { readonly urgent: boolean },
): string {
  const line = (text: string) => text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const words = [line(title), oneLine(clean(body))].filter(Boolean);
  // ConEmu and Windows Terminal read a text that begins with a number and `;` as a command.
  const safeWords = words.map((word) => word.replaceAll(";", "；"));
  if (protocol === "osc9") return `${esc}]9;${safeWords.join(": ")}${end}`;
  if (protocol === "osc777") return `${esc}]777;notify;${safeWords.join(";")}${end}`;
  if (protocol === "bell") return "";
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const key = `i=${id.replace(/[^\w-]/g, "")}:e=1:u=${urgent ? 2 : 1}`;
  const [head = "", text = ""] = words;
  const part = (kind: string, done: 0 | 1, payload: string) =>
    `${esc}]99;${key}:d=${done}:p=${kind};${base64(payload)}${end}`;
  return text === "" ? part("title", 1, head) : part("title", 0, head) + part("body", 1, text);
}

/**
 * Builds the control sequence that closes an OSC 99 notification. kitty ignores the sequence if the notification is
 * gone, and older kitty versions always ignore it.
 * https://sw.kovidgoyal.net/kitty/desktop-notifications/#closing-an-existing-notification
 */
export function closing(id: string): string {
  return `${esc}]99;i=${id}:p=close;${end}`;
}

/** Wraps a sequence so that a multiplexer passes it on to its terminal; tmux needs `allow-passthrough on`. */
export function passThrough(text: string, env: Environment): string {
  if (text === "") return "";
  if (env["TMUX"] !== undefined) return `${esc}Ptmux;${text.replaceAll(esc, esc + esc)}${end}`;
  if (env["STY"] === undefined) return text;
  // screen ends its own string at the first ESC \, so the sequence is sent in pieces with a cut between ESC and \.
  const pieces = text
    .split(end)
    .flatMap((piece, index, all) => (index < all.length - 1 ? [piece + esc, "\\"] : [piece]));
  return pieces
    .filter(Boolean)
    .map((piece) => `${esc}P${piece}${end}`)
    .join("");
}
