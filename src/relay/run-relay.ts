import { basename } from "node:path";
import type { Config } from "../config/config.ts";
import { configCache } from "../config/load.ts";
import { resolveReferences } from "../config/references.ts";
import { type RelaySource, sourceName } from "../config/relay-table.ts";
import { BeckonError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { ClockPort, ExecPort } from "../core/ports.ts";
import { redactor } from "../core/redactor.ts";
import { writeStateFile } from "../files/atomic-file.ts";
import { acquire } from "../files/lock.ts";
import type { Paths } from "../files/paths.ts";
import { openJournal } from "../journal/journal.ts";
import { makeSpool } from "../spool/put.ts";
import { programIdentity } from "../spool/wake.ts";
import { connectOverPipes } from "./connect-over-pipes.ts";
import { type KeptConnection, keepConnected } from "./keep-connected.ts";
import { type Inbox, Received, Rejections } from "./receive.ts";
import { type LinkStatus, relayFiles } from "./relay-status.ts";

const relayTitle = "beckon-relay";
/** Interval for polling the configuration and rewriting the status file, milliseconds. */
const pollMs = 2_000;

/** Dependencies of a receiver, except its files. */
interface RelayOptions {
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

/** Interval for resolving secrets again while a source is disconnected, milliseconds. Resolving may run a program. */
const secretRereadMs = 60_000;

/** Sources from the configuration, with their secrets resolved. */
interface Sources {
  readonly sources: readonly RelaySource[];
  /** Secret key that decrypts envelopes sealed for this machine. */
  readonly identity: string | undefined;
  readonly secrets: readonly string[];
  /** Reason why a source is left out. */
  readonly problem: string | undefined;
}

/**
 * Creates a function that returns the configured sources. It resolves them again if the configuration has changed and,
 * while a source is disconnected or left out, once a minute.
 * @returns function of the current time, and of whether all sources are connected
 */
function createSourceReader(paths: Paths, exec: ExecPort): (nowMs: number, areConnected: boolean) => Promise<Sources> {
  const readConfig = configCache(paths.config);
  let last: { readonly config: Config; readonly atMs: number; readonly sources: Sources } | undefined;
  return async (nowMs, areConnected) => {
    const config = await readConfig();
    const isHealthy = areConnected && last?.sources.problem === undefined;
    const isFresh = last?.config === config && (isHealthy || nowMs - last.atMs < secretRereadMs);
    if (!last || !isFresh) last = { config, atMs: nowMs, sources: await resolveSources(config, exec) };
    return last.sources;
  };
}

/**
 * Resolves the sources' secrets. If `relay.identity` cannot be resolved, returns no sources: the senders then keep
 * their events. If a server's credentials cannot be resolved, leaves out that server only.
 */
async function resolveSources({ relay }: Config, exec: ExecPort): Promise<Sources> {
  const { from = [], identity: configuredIdentity } = relay ?? {};
  const secrets: string[] = [];
  let problem: string | undefined;
  const read = async <Value>(value: Value, path: string): Promise<Value | undefined> => {
    try {
      const resolved = await resolveReferences(value, path, exec);
      secrets.push(...resolved.secrets);
      return resolved.value as Value;
    } catch (error) {
      if (!(error instanceof BeckonError)) throw error;
      problem ??= error.message;
      return undefined;
    }
  };
  const identity = from.length === 0 ? undefined : await read(configuredIdentity, "relay.identity");
  if (problem !== undefined) return { sources: [], identity: undefined, secrets, problem };
  const sources = await Promise.all(
    from.map((source, index) => ("via" in source ? source : read(source, `relay.from[${index}]`))),
  );
  return { sources: sources.filter((source) => source !== undefined), identity, secrets, problem };
}
