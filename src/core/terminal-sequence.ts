/** How terminals take a notice. `bell`: not at all, they only ring. */
export const protocols = ["osc9", "osc777", "osc99", "bell"] as const;
export type Protocol = (typeof protocols)[number];

interface Notice {
  readonly title: string;
  readonly body: string;
  readonly id: string;
  readonly urgent: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const esc = "\u001b";
const end = `${esc}\\`;

/** What the terminal of a program understands, as far as the program's environment tells; else its bell. */
export function protocolOf(env: Environment): Protocol {
  const { TERM = "", TERM_PROGRAM = "" } = env;
  if (env["KITTY_WINDOW_ID"] !== undefined || TERM === "xterm-kitty") return "osc99";
  if (/^(iTerm\.app|WezTerm|ghostty)$/i.test(TERM_PROGRAM) || env["WT_SESSION"] !== undefined) return "osc9";
  // What multiplexers do not overwrite, as they do TERM and TERM_PROGRAM.
  if (env["LC_TERMINAL"] === "iTerm2" || env["GHOSTTY_RESOURCES_DIR"] || env["WEZTERM_EXECUTABLE"]) return "osc9";
  if (/^(foot|rxvt-unicode)/.test(TERM)) return "osc777";
  return "bell";
}

/**
 * The control sequence of a notice. `;` separates fields in 777, and 99 takes base64: no text ends a field or sequence
 * early. Empty for `bell`.
 * https://iterm2.com/documentation-escape-codes.html · https://sw.kovidgoyal.net/kitty/desktop-notifications/
 */
export function sequence(protocol: Protocol, { title, body, id, urgent }: Notice): string {
  const line = (text: string) => text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const words = [line(title), line(body)].filter(Boolean);
  // A text that begins with a number and `;` is a command of ConEmu's and Windows Terminal's.
  if (protocol === "osc9") return `${esc}]9;${words.join(": ").replaceAll(";", ",")}${end}`;
  if (protocol === "osc777")
    return `${esc}]777;notify;${words.map((word) => word.replaceAll(";", ",")).join(";")}${end}`;
  if (protocol === "bell") return "";
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const key = `i=${id.replace(/[^\w-]/g, "")}:e=1:u=${urgent ? 2 : 1}`;
  const [head = "", text = ""] = words;
  const part = (kind: string, done: 0 | 1, payload: string) =>
    `${esc}]99;${key}:d=${done}:p=${kind};${base64(payload)}${end}`;
  return text === "" ? part("title", 1, head) : part("title", 0, head) + part("body", 1, text);
}

/** A sequence as it gets through a multiplexer to the terminal outside; tmux needs `allow-passthrough on` for it. */
export function passThrough(text: string, env: Environment): string {
  if (text === "") return "";
  if (env["TMUX"] !== undefined) return `${esc}Ptmux;${text.replaceAll(esc, esc + esc)}${end}`;
  if (env["STY"] === undefined) return text;
  // screen ends its own string at the first ESC \, so every sequence goes in pieces around it.
  const pieces = text
    .split(end)
    .flatMap((piece, index, all) => (index < all.length - 1 ? [piece + esc, "\\"] : [piece]));
  return pieces
    .filter(Boolean)
    .map((piece) => `${esc}P${piece}${end}`)
    .join("");
}
