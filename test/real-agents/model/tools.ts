import type { Call, Conversation, Schema, Tool } from "./conversation.ts";
import { askedQuestion, shownPlan, type WantedCall } from "./script.ts";

/** A tool's purpose, whatever its name. */
export type ToolKind = "shell" | "task" | "wait" | "ask" | "plan" | "notify";

const names: Readonly<Record<ToolKind, RegExp>> = {
  shell:
    /^(run_terminal_(cmd|command)|bash|execute|run_shell_command|exec_command|run_commands|shell_command|shell|local_shell)$/i,
  task: /^(spawn_subagent|agent|task|spawn_agent|invoke_agent|generalist|subagent)$/i,
  wait: /^wait_agent$/,
  ask: /^(ask_?user_?question|ask_?user|ask_question|question)$/i,
  plan: /^exit_?(plan|spec)_?mode$/i,
  notify: /^(mcp__)?beckon_+notify$/,
};

/** True if an agent offers a tool of a kind. */
export function hasTool({ tools }: Conversation, kind: ToolKind): boolean {
  return tools.some(({ name }) => names[kind].test(name));
}

/** Builds a call of the agent's tool for this purpose; undefined if the agent has none. */
export function buildCall(wanted: WantedCall, conversation: Conversation): Call | undefined {
  const tool = conversation.tools.find(({ name }) => names[wanted.kind].test(name));
  if (tool) return { tool, input: buildInput(tool, wanted, conversation) };
  // Some tools are described only on request, but may be called at once.
  const deferred = deferredTools[wanted.kind];
  if (!deferred || !conversation.everything.includes(deferred.name)) return undefined;
  return { tool: { name: deferred.name, schema: {} }, input: deferred.input };
}

const [red, blue] = [{ label: "Red", description: "a warm one" }, { label: "Blue", description: "a cool one" }]; // biome-ignore format: pairs
const question = { question: askedQuestion, header: "Colour", multiSelect: false, options: [red, blue] };

const deferredTools: Readonly<Partial<Record<ToolKind, { readonly name: string; readonly input: Call["input"] }>>> = {
  ask: { name: "ask_user_question", input: { questions: [question] } },
  plan: { name: "ExitPlanMode", input: { plan: shownPlan } },
  notify: { name: "mcp__beckon__notify", input: { title: "Sample title" } },
};

function buildInput(tool: Tool, wanted: WantedCall, conversation: Conversation): Record<string, unknown> {
  const properties = tool.schema.properties ?? {};
  const started = [...conversation.everything.matchAll(/"agent_id":\s?"([^"\\]+)/g)].map(([, id]) => id ?? "");
  if (wanted.kind === "wait") return { targets: [...new Set(started)], timeout_ms: 20_000 };
  if (properties["questionnaire"]) {
    return { questionnaire: `1. [question] ${askedQuestion}\n[topic] Colour\n[option] Red\n[option] Blue\n` };
  }
  if (properties["agentScope"]) return { agent: "general", task: wanted.prompt ?? "look around" };
  const input = valueFor(tool.schema, "", buildValues(wanted, conversation), tool.schema) as Record<string, unknown>;
  if (properties["command"]?.type === "array") input["command"] = ["bash", "-lc", wanted.command];
  return { ...input, ...buildMode(properties, wanted) };
}

/** Builds the fields by which a call asks for permission or runs in the background. */
function buildMode(properties: Readonly<Record<string, Schema>>, { kind, inBackground }: WantedCall): object {
  const modes: Record<string, unknown> = {};
  if (kind === "shell" && properties["sandbox_permissions"]) {
    modes["sandbox_permissions"] = "require_escalated";
    modes["justification"] = "needs to write outside";
  }
  if (inBackground !== undefined) {
    for (const flag of ["run_in_background", "is_background", "background", "fireAndForget"]) {
      if (properties[flag]) modes[flag] = inBackground;
    }
    if (properties["await"]) modes["await"] = !inBackground;
    if (properties["mode"] && kind === "shell" && inBackground) modes["mode"] = "async";
  }
  return modes;
}

/** Builds values for properties by their names, which are the same in all agents. */
type Values = Readonly<Record<string, string>>;

function buildValues({ kind, command, prompt }: WantedCall, { everything }: Conversation): Values {
  const kinds = ["generalist", "worker", "general-purpose", "coder", "general"];
  const agent = kinds.find((entry) =>
    new RegExp(`<name>${entry}<|\\b${entry}: |- \\**${entry}\\**:|"${entry}"`).test(everything),
  );
  const task = prompt ?? (kind === "ask" ? askedQuestion : "look around");
  const type = agent ?? "general-purpose";
  return {
    ...{ command: command ?? "", commands: command ?? "", cmd: command ?? "" },
    ...{ description: "Do what was asked", summary: "Do what was asked" },
    ...{ riskLevel: "medium", riskLevelReason: "creates a file" },
    ...{ prompt: task, message: task, objective: task, query: task, task },
    ...{ task_name: "look", name: "look", title: "Sample title" },
    ...{ question: askedQuestion, header: "Colour" },
    ...{ plan: shownPlan },
    ...{ subagent_type: type, agent_type: type, agent_name: type },
  };
}

const preferred: readonly unknown[] = ["general-purpose", "user", "choice"];
const alwaysGiven: readonly string[] = ["description", "message", "subagent_type", "options", "plan"];

/** Builds the smallest value that fits a schema: required properties, known values, as many list items as needed. */
export function valueFor(schema: Schema, name: string, values: Values, root: Schema, item = 0): unknown {
  const inner = (entry: Schema, as: string, index = item) => valueFor(entry, as, values, root, index);
  if (schema.$ref) return inner(resolve(schema.$ref, root), name);
  if (schema.const !== undefined) return schema.const;
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const choice = choices?.find(({ type }) => type !== "null");
  if (choice && !schema.properties) return inner(choice, name);
  switch (readType(schema)) {
    case "object": {
      const isWanted = ([key]: [string, Schema]) => schema.required?.includes(key) || alwaysGiven.includes(key);
      const wanted = Object.entries(schema.properties ?? {}).filter(isWanted);
      return Object.fromEntries(wanted.map(([key, entry]) => [key, inner(entry, key)]));
    }
    case "array": {
      const length = Math.max(schema.minItems ?? 1, name === "options" ? 2 : 1);
      return Array.from({ length }, (_, index) => inner(schema.items ?? {}, name, index));
    }
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    default:
      if (schema.enum) return schema.enum.find((entry) => preferred.includes(entry)) ?? schema.enum[0];
      return values[name] ?? (name === "label" ? ["Red", "Blue"][item] : undefined) ?? `${name || "text"}_${item + 1}`;
  }
}

function readType({ type, properties }: Schema): string {
  const first = typeof type === "string" ? type : type?.[0];
  return (first ?? (properties ? "object" : "string")).toLowerCase(); // Gemini writes them in capitals
}

function resolve(reference: string, root: Schema): Schema {
  const steps = reference.split("/").slice(1);
  return steps.reduce<Schema>((schema, step) => (schema as Readonly<Record<string, Schema>>)[step] ?? {}, root);
}
