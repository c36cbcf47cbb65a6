/** Why a call ended early. */
export type Ending = "deadline" | "caller";

export interface Deadline {
  /** Aborts at the deadline, or with the caller's signal. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  readonly leftMs: () => number;
  readonly ending: () => Ending | undefined;
  /** To be called when all is done: lets go of the timer and of the caller's signal. */
  readonly release: () => void;
}

/** `AbortSignal.any` on Node 20 keeps every signal it was given for a long-lived one; this lets go of it. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  let ending: Ending | undefined;
  const end = (why: Ending): void => {
    ending ??= why;
    controller.abort();
  };
  const onAbort = (): void => end(isTimeout(outer?.reason) ? "deadline" : "caller");
  const timer = setTimeout(end, timeoutMs, "deadline");
  if (outer?.aborted) onAbort();
  else outer?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => endsAt - performance.now(),
    ending: () => ending,
    release: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

/** What `AbortSignal.timeout` aborts with. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
