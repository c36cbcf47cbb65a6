import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AttentionWorld } from "./attention-world.ts";
import { freshFolder } from "./fresh-folder.ts";

/** A session's transcript in Claude Code's form, written by a world's clock. */
export class ClaudeTranscript {
  readonly path: string;
  readonly #world: AttentionWorld;
  #messages = 0;

  constructor(world: AttentionWorld, path = join(freshFolder(), "transcript.jsonl")) {
    this.#world = world;
    this.path = path;
  }

  /** Begins the transcript of a sub-agent, below `folder` if that is given. */
  subAgent(id: string, folder = ""): ClaudeTranscript {
    const path = join(this.path.replace(".jsonl", ""), "subagents", folder, `agent-${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    return new ClaudeTranscript(this.#world, path);
  }

  /** Appends the start of a background sub-agent, by a call of its own. */
  launches(id: string): void {
    this.calls({ [`T${id}`]: ["Agent", { description: "look" }] });
    this.result(`T${id}`, "started", { toolUseResult: { status: "async_launched", agentId: id, description: "look" } });
  }

  /** Appends a line. */
  write(line: object): void {
    const timestamp = new Date(this.#world.nowMs).toISOString();
    appendFileSync(this.path, `${JSON.stringify({ timestamp, ...line })}\n`);
  }

  /** Appends the user's side: a text, with the other fields of its line. */
  user(content: string, more: object = {}): void {
    this.write({ type: "user", message: { role: "user", content }, ...more });
  }

  /** Appends calls of tools by the model, by id: name and input. */
  calls(calls: Readonly<Record<string, readonly [name: string, input: object]>>): void {
    const content = Object.entries(calls).map(([id, [name, input]]) => ({ type: "tool_use", id, name, input }));
    this.#assistant(content, "tool_use");
  }

  /** Appends the text with which the model ends its turn. */
  says(text: string): void {
    this.#assistant([{ type: "text", text }], "end_turn");
  }

  /** Appends the result of a call. */
  result(id: string, result = "ok", more: object = {}): void {
    const content = [{ type: "tool_result", content: result, tool_use_id: id }];
    this.write({ type: "user", message: { role: "user", content }, ...more });
  }

  #assistant(content: readonly object[], stop: string): void {
    this.#messages += 1;
    const id = `m${this.#messages}`;
    this.write({ type: "assistant", message: { id, role: "assistant", stop_reason: stop, content } });
  }
}
