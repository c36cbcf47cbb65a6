import type { ClockPort } from "../core/ports.ts";
import type { LinkStatus } from "./relay-status.ts";

/** Pauses before the second, third … attempt to connect, milliseconds. Later attempts use the last pause. */
const backOffMs: readonly number[] = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000];
/** Age at which a connection counts as stable, milliseconds. A stable connection resets the pauses. */
const stableConnectionMs = 10_000;

/** Callback for a change in a connection's status. */
export type OnChange = (change: Partial<LinkStatus>) => void;

/** A connection that is restored whenever it ends. */
export interface KeptConnection {
  readonly name: string;
  readonly via: string;
  /** Connects. When the connection ends or the signal aborts, resolves to the reason for the end; never throws. */
  readonly connect: (onChange: OnChange, signal: AbortSignal) => Promise<string>;
  readonly onStatus: (status: LinkStatus) => void;
  readonly clock: ClockPort;
}

/** Connects, and reconnects whenever the connection ends, until the signal aborts. */
export async function keepConnected(
  { name, via, connect, onStatus, clock }: KeptConnection,
  signal: AbortSignal,
): Promise<void> {
  let status: LinkStatus = { name, via, state: "connecting", sinceMs: clock.now() };
  const report = (next: LinkStatus): void => {
    const sinceMs = next.state === status.state ? status.sinceMs : clock.now();
    status = { ...next, sinceMs };
    onStatus(status);
  };
  const onChange: OnChange = (change) => {
    const { problem: _, ...rest } = status;
    report({ ...rest, ...change });
  };
  for (let failures = 0; !signal.aborted; ) {
    const { nextTryAtMs: _, ...rest } = status;
    report({ ...rest, state: "connecting" });
    const startedAtMs = clock.uptimeMs();
    const problem = await connect(onChange, signal);
    if (signal.aborted) return;
    failures = clock.uptimeMs() - startedAtMs > stableConnectionMs ? 1 : failures + 1;
    const delayMs = (backOffMs[Math.min(failures, backOffMs.length) - 1] ?? 0) * (0.8 + 0.4 * Math.random());
    report({ ...status, state: "waiting", problem, nextTryAtMs: clock.now() + delayMs });
    await clock.wait(delayMs, signal);
  }
}
