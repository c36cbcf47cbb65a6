import { oneLine } from "../../../src/text/clean.ts";
import { cutCounted } from "../../../src/text/cut.ts";
import { networkPorts } from "../../world/network-call.ts";
import type { Cases, Reading } from "../contract/notifier-case.ts";

/** Opens a terminal that shows its input as kitty does. */
function openKitty() {
  const shown = new Map<string, Reading>();
  const part = /\u001b\]99;i=([\w-]+)(?::e=1:u=\d:d=(\d))?:p=(title|body|close);([^\u001b]*)\u001b\\/g;
  const write = async (text: string): Promise<void> => {
    let [title, body] = ["", ""];
    for (const [, id = "", isDone, kind, payload = ""] of text.matchAll(part)) {
      const words = Buffer.from(payload, "base64").toString();
      if (kind === "close") shown.delete(id);
      else if (kind === "title") title = words;
      else body = words;
      if (isDone === "1") shown.set(id, { title, body });
    }
  };
  const of = async () => ({ env: { TERM: "xterm-kitty" }, write, obstacle: async () => undefined });
  return { shown, terminal: { of, here: of } };
}

export const changeCase: Cases["changeCase"] = {
  withdrawn: "nothing",
  shownAs: (text) => oneLine(cutCounted(text, 140, "bytes")),
  async start() {
    const { shown, terminal: port } = openKitty();
    const clear = async () => shown.clear();
    const listActive = async () => [...shown.values()];
    const ports = { ...networkPorts(), terminal: port };
    return { settings: {}, ports, listActive, removeAll: clear, beginAnew: clear, close: async () => {} };
  },
};
