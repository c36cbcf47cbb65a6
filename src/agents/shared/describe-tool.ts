import { type Payload, toolInputOf } from "../../core/agent.ts";
import { asObject } from "../../core/json-value.ts";
import { describeCall } from "../transcripts/describe-call.ts";
import { shortLine } from "../transcripts/record.ts";

/** What an agent asks for in a permission request, as `describeCall` says it. */
export function describeTool(payload: Payload): string | undefined {
  return describeCall(payload.tool_name ?? payload.toolName, asObject(toolInputOf(payload)), shortLine(payload.cwd));
}
