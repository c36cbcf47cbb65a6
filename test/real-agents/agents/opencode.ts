import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

/** Settings of OpenCode and the agents made from it: the scripted model, and permission for every command. */
const settings = {
  model: "scripted/scripted",
  small_model: "scripted/scripted",
  autoupdate: false,
  share: "disabled",
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${modelUrl}/v1`, apiKey: "scripted" },
      models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 100_000, output: 8_000 } } },
    },
  },
  permission: { bash: "ask", edit: "ask" },
  // Kilo asks a question if its first snapshot takes long.
  snapshot: false,
};

/** Makes the properties of OpenCode or of an agent made from it. */
export function openCodeLike(name: string, differences: Partial<RealAgent> = {}): RealAgent {
  const upper = name.toUpperCase();
  const switches = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD"].map((what) => [`${upper}_DISABLE_${what}`, "1"]);
  return {
    ...usual,
    name,
    env: Object.fromEntries(switches),
    prepare() {
      writeInHome(`.config/${name}/${name}.json`, settings);
      // Otherwise it waits for the registry at its start, to install the package with the types for plugins.
      const dependencies = { "@opencode-ai/plugin": "*", "@kilocode/plugin": "*" };
      writeInHome(`.config/${name}/package-lock.json`, { packages: { "": { dependencies } } });
      writeInHome(`.config/${name}/node_modules/.keep`, "");
    },
    headless: (prompt) => [name, "run", prompt],
    interactive: [name],
    resume: [name, "--continue"],
    ready: /Ask anything|▣ .*· Scripted · /, // or the last answer of a resumed session
    maxPauseSeconds: 180,
    readyForSeconds: 3,
    sessions: `.local/share/${name}`,
    asksPermission: /Permission required|Allow once/,
    interrupt: ["Escape", "Escape"],
    working: /esc (again to )?interrupt/,
    exit: "/exit",
    compact: "/compact",
    varies: [/^Generation speed/], // absent after a short answer
    ...differences,
  };
}

export const opencode = openCodeLike("opencode");
