import type { Endpoint } from "../service.ts";

const invalidKey = "Missing or invalid API key.";

const analyticsErrors = {
  400: "Invalid date format, a day without data such as today (data has a 24-hour lag), or a `limit` out of range.",
  401: invalidKey,
  403: "Insufficient role: Manager or Owner is required.",
  500: "Internal error.",
};
const readinessErrors = { 400: "Invalid request parameters.", 401: invalidKey, 500: "Internal server error." };

/** Lists the error statuses that the API document names for an operation; none for `/api/v0`. */
export function listDocumentedErrors({ path }: Endpoint): Readonly<Record<string, string>> {
  if (path.startsWith("/api/v1/analytics/")) return analyticsErrors;
  return path.startsWith("/api/organization/") ? readinessErrors : {};
}
