/** Reply of a permission hook that allows the request, as the agent reads it. */
export const allow = `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } })}\n`;
/** Makes the reply of a permission hook that refuses the request for a reason. */
export const deny = (message = "The user refused this."): string =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message } } })}\n`;
