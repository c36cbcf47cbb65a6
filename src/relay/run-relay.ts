import { basename } from "node:path";
import { type RelaySource, sourceName } from "../config/relay-table.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, ExecPort } from "../core/ports.ts";
import { redactor } from "../core/redactor.ts";
import { acquire } from "../files/lock.ts";
import type { Paths } from "../files/paths.ts";
import { writeStateFile } from "../files/state-file.ts";
import { openJournal } from "../journal/journal.ts";
import { makeSpool } from "../spool/put.ts";
import { programIdentity } from "../spool/wake.ts";
import { connectOverPipes } from "./connect-over-pipes.ts";
import { type KeptConnection, keepConnected } from "./keep-connected.ts";
import type { Inbox } from "./receive.ts";
import { Received } from "./received.ts";
import { Rejections } from "./rejections.ts";
import { relayFiles } from "./relay-files.ts";
import type { LinkStatus } from "./relay-status.ts";
import { createSourceReader } from "./sources.ts";

const relayTitle = "beckon-relay";
/** Interval for polling the configuration and rewriting the status file, milliseconds. */
const pollMs = 2_000;

/** Dependencies of a receiver, except its files. */
export interface RelayOptions {
  readonly exec: ExecPort;
  readonly clock: ClockPort;
  /** Signal that stops the receiver. */
  readonly signal: AbortSignal;
  /** Called when the status of a connection changes. */
  readonly onStatus?: (status: LinkStatus) => void;
}

/**
 * Connects to all machines in the configuration, stores the events they send, and follows changes to the configuration.
 * Ends when the signal aborts, or when an upgrade has replaced the program. The system service then starts the new
 * program.
 * @returns false if another receiver is running
 */
export async function runRelay(paths: Paths, options: RelayOptions): Promise<boolean> {
  const { signal, clock } = options;
  const { now } = clock;
  process.title = relayTitle;
  makeSpool(paths.spool);
  const files = relayFiles(paths);
  const received = new Received(files.received, now());
  const rejections = new Rejections(paths, clock);
  const lock = await acquire(files.lock, clock);
  if (!lock) return false;
  const links = new Map<string, { readonly stop: AbortController; status: LinkStatus | undefined }>();
  let problem: string | undefined;
  const writeStatus = (): void => {
    const statuses = [...links.values()].flatMap(({ status }) => status ?? []);
    writeStateFile(files.status, { pid: process.pid, atMs: now(), links: statuses, ...omitUndefined({ problem }) });
  };
  const start = (key: string, source: RelaySource, inbox: Inbox): void => {
    const entry = { stop: new AbortController(), status: undefined as LinkStatus | undefined };
    links.set(key, entry);
    const onStatus = (status: LinkStatus): void => {
      const hasChanged = entry.status?.state !== status.state;
      entry.status = status;
      options.onStatus?.(status);
      if (hasChanged) writeStatus(); // arrival times wait for the next poll
    };
    const link = { name: sourceName(source), ...chooseConnection(source, inbox), onStatus, clock };
    void keepConnected(link, AbortSignal.any([signal, entry.stop.signal]));
  };
  const program = programIdentity();
  const readSources = createSourceReader(paths, options.exec);
  try {
    while (!signal.aborted && lock.isHeld() && programIdentity() === program) {
      const areConnected = [...links.values()].every(({ status }) => status?.state === "connected");
      const { sources, identity, secrets, ...read } = await readSources(now(), areConnected);
      problem = read.problem;
      const wanted = new Map(sources.map((source) => [JSON.stringify([source, identity ?? ""]), source]));
      for (const [key, { stop }] of links) if (!wanted.has(key) && links.delete(key)) stop.abort();
      for (const [key, source] of wanted) {
        if (links.has(key)) continue;
        const journal = openJournal(paths.journal, now, redactor(secrets));
        start(key, source, { paths, journal, received, rejections, identity, clock });
      }
      writeStatus();
      rejections.flush(openJournal(paths.journal, now, redactor(secrets)));
      await clock.wait(pollMs, signal);
    }
    return true;
  } finally {
    for (const { stop } of links.values()) stop.abort();
    lock.release();
    writeStateFile(files.status, { pid: process.pid, atMs: 0, links: [] });
  }
}

/** Chooses how to connect to a source: over pipes or over NATS. */
function chooseConnection(source: RelaySource, inbox: Inbox): Pick<KeptConnection, "via" | "connect"> {
  if ("via" in source) {
    const via = basename(source.via[0] ?? "");
    return { via, connect: (onChange, signal) => connectOverPipes(source, inbox, onChange, signal) };
  }
  const connect: KeptConnection["connect"] = async (onChange, signal) => {
    const { connectOverNats } = await import("./nats/connect-over-nats.ts");
    return connectOverNats(source, inbox, onChange, signal);
  };
  return { via: "nats", connect };
}
