/** The value of an `authorization` header for a token. https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** The value of an `authorization` header for a user without a colon. https://www.rfc-editor.org/rfc/rfc7617#section-2 */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
