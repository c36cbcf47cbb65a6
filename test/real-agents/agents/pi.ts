import { readFileSync } from "node:fs";
import { modelUrl } from "../model/server.ts";
import { type RealAgent, usual, writeInHome } from "./agent.ts";

const examples = "/home/agent/node_modules/@earendil-works/pi-coding-agent/examples/extensions";

/** Pi, with those extensions among its own examples that ask for permission and have tools for questions and tasks. */
export const pi: RealAgent = {
  ...usual,
  name: "pi",
  env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
  prepare() {
    const model = { id: "scripted", name: "Scripted", contextWindow: 100_000, maxTokens: 8_000 };
    const scripted = { baseUrl: `${modelUrl}/v1`, api: "openai-completions", apiKey: "scripted", models: [model] };
    writeInHome(".pi/agent/models.json", { providers: { scripted } });
    writeInHome(".pi/agent/settings.json", { defaultProvider: "scripted", defaultModel: "scripted" });
    for (const name of ["permission-gate.ts", "question.ts", "subagent/index.ts", "subagent/agents.ts"]) {
      writeInHome(`.pi/agent/extensions/${name}`, readFileSync(`${examples}/${name}`, "utf8"));
    }
    const head = "---\nname: general\ndescription: Does what was asked\ntools: read, bash\n---\n";
    writeInHome(".pi/agent/agents/general.md", `${head}Do what was asked.\n`);
  },
  headless: (prompt) => ["pi", "-p", prompt],
  interactive: ["pi"],
  resume: ["pi", "--continue"],
  ready: /scripted/,
  readyForSeconds: 3,
  sessions: ".pi/agent/sessions",
  asksPermission: /Dangerous command/,
  refuse: ["Escape"],
  exit: "/quit",
  compact: "/compact",
  clear: "/new",
  // It lists its extensions at its start.
  printsAboutHooks: [/beckon\.js/, /permission-gate\.ts, question\.ts/],
};
