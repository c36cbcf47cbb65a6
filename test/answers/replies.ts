/** Replies of a permission hook, allowing and refusing with a reason, written out as the agent reads them. */
export const allow = `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } })}\n`;
export const deny = (message: string): string =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message } } })}\n`;
