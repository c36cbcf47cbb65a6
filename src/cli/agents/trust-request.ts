import type { Agent } from "../../core/agent.ts";
import type { SettingsPlace } from "../../core/agent-settings.ts";
import type { InspectedFile } from "../../installer/inspect.ts";
import type { OwnCommands } from "../../installer/beckon-commands.ts";

/** What an agent's own files say about its trust in our hooks. */
export interface Trust {
  readonly state: "trusted" | "untrusted" | "unknown";
  readonly detail: string;
  /** What to do about it; absent for `trusted`. */
  readonly cure?: string;
}

export interface TrustRequest {
  readonly agent: Agent;
  readonly place: SettingsPlace;
  /** Files with entries of ours. */
  readonly files: readonly InspectedFile[];
  readonly own: OwnCommands;
}
