import { trustOfCodex } from "./trust-codex.ts";
import { trustOfClaude, trustOfFolder, trustOfGrok } from "../../agents/shared/folder-trust.ts";
import type { Trust, TrustRequest } from "./trust-request.ts";

const readers: Readonly<Record<string, (request: TrustRequest) => Promise<Trust | undefined>>> = {
  codex: trustOfCodex,
  claude: trustOfClaude,
  gemini: trustOfFolder,
  qwen: trustOfFolder,
  grok: trustOfGrok,
};

/** Undefined for an agent whose trust is kept nowhere that is known, and where there is nothing to trust. */
export async function readTrust(request: TrustRequest): Promise<Trust | undefined> {
  const files = request.files.filter(({ own }) => own.length > 0);
  return files.length === 0 ? undefined : readers[request.agent.name]?.({ ...request, files });
}
