// Output of commands with `--json`.

/** Instant, ISO 8601 in UTC. */
export type Time = string;

/** Local calendar day, such as 2026-11-21. */
export type Day = string;

/** Output of `beckon install --json`. */
export type Install = {
  /** False also for a dry run. */
  done: boolean;
  files: readonly InstalledFile[];
  /** For people. */
  notes: readonly string[];
  sample?: {
    hookMs: number;
    outcomes: readonly SampleOutcome[];
  };
};

/** Output of `beckon config path --json`. */
export type ConfigPath = {
  file: string;
};

/** Output of `beckon config show --json`. */
export type ConfigShow = Record<string, unknown>;

/** Each line of `beckon config check --json`. */
export type ConfigCheck = Finding;

/** Output of `beckon config add --json`. */
export type ConfigAdd = {
  name: string;
  type: string;
  file: string;
  secretFiles: readonly string[];
  isRouted: boolean;
};

/** Output of `beckon config remove --json`. */
export type ConfigRemove = {
  name: string;
  file: string;
  secretFiles: readonly string[];
  /** False: nothing notifies you any longer. */
  hasRoutes: boolean;
};

/** Output of `beckon config set --json`. */
export type ConfigSet = {
  path: string;
  file: string;
  /** False: the setting was removed. */
  isSet: boolean;
};

/** Output of `beckon config unset --json`. */
export type ConfigUnset = ConfigSet;

/** Output of `beckon config init --json`. */
export type ConfigInit = {
  file: string;
  schemaFile: string;
};

/** Each line of `beckon test --json`. */
export type Test = {
  name: string;
  verdict: "sent" | "skipped" | "failed";
  tookMs?: number;
  /** Why the message was not sent, or what it lacks. */
  reason?: string;
  hint?: string;
  /** Output of your program. */
  said?: string;
};

/** Output of `beckon demo --json`. */
export type Demo = {
  events: readonly {
    kind: Kind;
    project: string;
    agent: string;
    text: string;
    isRouted: boolean;
    outcomes: readonly SampleOutcome[];
  }[];
};

/** Output of `beckon upgrade --json`. */
export type Upgrade = {
  from: string;
  to: string;
  done: boolean;
  files: readonly {
    agent: string;
    scope: Scope;
    path: string;
    result: "updated" | "would-update" | "current" | "left" | "refused";
    message?: string;
    hint?: string;
  }[];
};

/** Output of `beckon uninstall --json`. */
export type Uninstall = {
  done: boolean;
  files: readonly RemovedFile[];
  folder: "kept" | "removed" | "would-remove";
};

/** Each line of `beckon sessions --json`. */
export type Sessions = WaitingSession | IdleSession | TeamSession;

/** Output of `beckon seen --json`. */
export type Seen = {
  seen: readonly Request[];
  /** Not cleared yet. */
  pending: readonly Request[];
};

/** Output of `beckon snooze --json`. */
export type Snooze = {
  snoozed: readonly SnoozedTarget[];
};

/** Output of `beckon focus --json`. */
export type Focus = {
  agent: string;
  project: string;
  sessionId?: string;
  isInFront: boolean;
  steps: readonly {
    target: string;
    obstacle?: string;
  }[];
};

/** Output of `beckon send --json`. */
export type Send = {
  id: string;
  sessionId: string;
  kind: Kind;
};

/** Output of `beckon today --json`. */
export type Today = {
  day: Day;
  waitedMs: number;
  /** Median. */
  reactionMs?: number;
  /** Events with a message sent. */
  calls: number;
  /** Events with a message held. */
  held: number;
  finished: number;
  failed: number;
  /** Medians of this weekday, four weeks back. */
  usual?: Usual;
  projects: readonly Share[];
  agents: readonly Share[];
  notifiers: readonly {
    notifier: string;
    sent: number;
    held: number;
    failed: number;
    error?: {
      at: Time;
      reason: string;
      isResolved: boolean;
    };
  }[];
  waiting: readonly WaitingSession[];
};

/** Output of `beckon board --json`. */
export type Board = BoardAddress | BoardFile;

/** Each line of `beckon answer --json`. */
export type Answer = OpenRequest;

/** Output of `beckon answers on --json`. */
export type AnswersOn = AnswersState;

/** Output of `beckon answers off --json`. */
export type AnswersOff = AnswersState;

/** Output of `beckon answers status --json`. */
export type AnswersStatus = AnswersState;

/** Output of `beckon status --json`. */
export type Status = {
  home: string;
  installed: boolean;
  problem?: string;
  cure?: string;
  snoozed: readonly SnoozedTarget[];
  /** Quiet hours in force. */
  quiet?: readonly {
    untilAt: Time;
    hold: readonly Kind[];
    /** Default: all for people. */
    notifiers?: readonly string[];
  }[];
  agents: readonly {
    name: string;
    title: string;
    found: boolean;
    program?: {
      file: string;
      version?: string;
    };
    files: readonly SettingsFile[];
    /** From earlier installs. */
    elsewhere: readonly SettingsFile[];
    /** Files with beckon's MCP server. */
    tools: readonly {
      path: string;
      command: string;
    }[];
    plugins: readonly {
      word: "plugin" | "extension";
      path: string;
      events: readonly string[];
      version?: string;
      installedAt?: Time;
      uninstallCommand: string;
    }[];
    /** Events whose command your shell cannot parse. */
    unparsed?: readonly string[];
    /** Settings that disable hooks. */
    switches: readonly {
      path: string;
      setting: string;
      isOurs?: true;
      inOlderVersions?: true;
    }[];
    /** Other hook files. */
    beside: readonly {
      path: string;
      effect: string;
    }[];
    trust?: {
      state: "trusted" | "untrusted" | "undecided" | "unknown";
      detail: string;
      cure?: string;
    };
    lastEvent?: {
      at: Time;
      event?: string;
      status: JournalStatus;
    };
    lastUsedAt?: Time;
    /** By event. */
    lastSeenAt: Record<string, Time>;
  }[];
  installProblem?: string;
  config: {
    file: string;
    exists: boolean;
    findings: readonly Finding[];
  };
  notifiers: readonly {
    name: string;
    type?: string;
    usable: boolean;
    problem?: string;
    brokenSinceAt?: Time;
    trouble?: {
      at: Time;
      reason: string;
    };
    pausedUntilAt?: Time;
  }[];
  limits?: readonly {
    agent: string;
    account: string;
    name?: string;
    windowMs: number;
    usedPercent: number;
    resetsAt: Time;
    at: Time;
  }[];
  relay?: Relay;
  /** Sentences; absent if answers are not set up. */
  answers?: readonly string[];
  spool: {
    fresh: number;
    waiting: number;
    nextDueAt?: Time;
    inFlight: number;
    /** Failed. */
    dead: number;
    /** The disk was full. */
    lost: number;
    lastLostAt?: Time;
  };
  worker: {
    running: boolean;
    pid?: number;
  };
};

/** Each line of `beckon doctor --json`. */
export type Doctor = {
  name: string;
  status: "ok" | "warn" | "fail";
  detail: string;
  cure?: string;
};

/** Each line of `beckon log --json`. */
export type Log = JournalLine;

/** Output of `beckon why --json`. */
export type Why = {
  id: string;
  receivedAt: Time;
  event?: string;
  kind?: string;
  agent?: string;
  project?: string;
  host?: string;
  sessionId?: string;
  title?: string;
  summary?: string;
  /** Changed since the event. */
  isConfigNewer: boolean;
  routes: readonly {
    to: readonly string[];
    matches: boolean;
    detail: string;
  }[];
  lines: readonly JournalLine[];
};

/** Each line of `beckon try --json`. */
export type Try = {
  kind: Kind;
  notifier: string;
  /** Delay of a reminder. */
  afterMs: number;
  outcome: "sent" | "skipped" | "waits";
  at?: Time;
  reasons: readonly {
    reason: string;
    untilAt?: Time;
  }[];
};

/** Output of `beckon retry --json`. */
export type Retry = {
  retried: readonly string[];
  left: readonly {
    count: number;
    why: string;
  }[];
};

/** Output of `beckon flush --json`. */
export type Flush = {
  lines: readonly JournalLine[];
  due: number;
  waiting: number;
  nextDueAt?: Time;
};

/** Output of `beckon relay add --json`. */
export type RelayAdd = {
  host: string;
  isInstalled: boolean;
  outcomes: readonly SampleOutcome[];
};

/** Each line of `beckon relay run --json`. */
export type RelayRun = LinkChange | StartedService;

/** Output of `beckon relay status --json`. */
export type RelayStatus = {
  isConfigured: boolean;
  sources: readonly {
    name: string;
    link?: Link;
  }[];
  receiver?: {
    pid: number;
    problem?: string;
  };
  handingOver?: {
    notifier: string;
    servers?: readonly string[];
    waiting: number;
    oldestAt?: Time;
    fetchedAt?: Time;
  };
  /** Key for encrypted texts. */
  recipient?: string;
  reached?: {
    version?: string;
    problem?: string;
  };
  server?: {
    addresses: readonly string[];
    version?: string;
    problem?: string;
    waiting?: Record<string, number>;
    users: readonly {
      name: string;
      expiresAt?: Time;
    }[];
  };
};

/** Each line of `beckon relay hosts --json`. */
export type RelayHosts = FetchedHost | MachineBehindServer;

/** Output of `beckon relay join --json`. */
export type RelayJoin = JoinedMachine | JoinedPerson;

/** Output of `beckon relay leave --json`. */
export type RelayLeave = LeftHost | StoppedSending;

/** Output of `beckon relay up --json`. */
export type RelayUp = {
  folder: string;
  team: string;
  person: string;
  isNew: boolean;
  isRunning: boolean;
  program?: {
    file: string;
    version?: string;
  };
};

/** Output of `beckon relay invite --json`. */
export type RelayInvite = InvitationFiles | Invitation;

/** Output of `beckon relay revoke --json`. */
export type RelayRevoke = {
  revoked: readonly string[];
  problem?: string;
};

export type AnswerRights = {
  may: readonly ("deny" | "allow")[];
  users?: readonly number[];
};

export type AnswersState = {
  state: "not set up" | "on" | "off";
  offReason?: string;
  /** Why requests are only answered in the agent. */
  exposure?: string;
  agents: readonly string[];
  /** Agents whose requests are not held, because their hook for answers is missing. */
  withoutHook?: readonly string[];
  projects: readonly string[];
  from: Record<string, AnswerRights>;
  open: number;
};

export type BoardAddress = {
  url: string;
};

export type BoardFile = {
  file: string;
  day: Day;
};

export type FetchedHost = {
  host: string;
  state: "not-fetched" | "connecting" | "connected" | "waiting";
  sinceAt?: Time;
  version?: string;
  problem?: string;
  lastEventAt?: Time;
};

export type Finding = {
  level: "error" | "warning";
  path: string;
  line?: number;
  column?: number;
  message: string;
  hint?: string;
};

export type IdleSession = {
  state: "waiting-seen" | "dialog" | "working" | "idle" | "interrupted" | "done" | "ended";
  /** Agent's words for the dialog that is open. */
  waitingFor?: string;
  sinceAt: Time;
  agent: string;
  project: string;
  host?: string;
  sessionId?: string;
  cwd?: string;
  title?: string;
};

export type InstalledFile = {
  agent: string;
  path: string;
  result: "updated" | "would-update" | "current" | "refused";
  message?: string;
};

export type Invitation = {
  beckon: number;
  [name: string]: unknown;
};

export type InvitationFiles = {
  invitations: readonly {
    host?: string;
    person?: string;
    file: string;
  }[];
};

export type JoinedMachine = {
  notifier: string;
  others: readonly string[];
  /** Session id of the sample event. */
  sample: string;
};

export type JoinedPerson = {
  person: string;
};

export type JournalLine = {
  at: Time;
  id: string;
  receivedAt?: Time;
  event?: string;
  agent?: string;
  kind?: string;
  sessionId?: string;
  project?: string;
  host?: string;
  summary?: string;
  title?: string;
  turnMs?: number;
  tokens?: number;
  credits?: number;
  notifier?: string;
  step?: number;
  status: JournalStatus;
  reason?: string;
  attempt?: number;
  tookMs?: number;
  until?: Time;
  heldFor?: string;
  resolvedBy?: string;
  waitedMs?: number;
  choice?: string;
  by?: string;
  via?: string;
  hash?: string;
};

export type JournalStatus =
  | "accepted"
  | "held"
  | "sent"
  | "updated"
  | "withdrawn"
  | "resolved"
  | "skipped"
  | "retrying"
  | "failed"
  | "expired"
  | "rejected"
  | "asked"
  | "answered"
  | "refused"
  | "late"
  | "given-up"
  | "foreign";

export type Kind = "needs-you" | "failed" | "finished" | "info";

export type LeftHost = {
  host: string;
  service?: string;
  problem?: string;
};

export type Link = {
  via: string;
  state: "connecting" | "connected" | "waiting";
  sinceAt: Time;
  version?: string;
  lastEventAt?: Time;
  nextTryAt?: Time;
  waiting?: number;
  problem?: string;
  machines?: readonly {
    host: string;
    lastEventAt: Time;
  }[];
};

export type LinkChange = {
  host: string;
  state: "connecting" | "connected" | "waiting";
  sinceAt: Time;
  version?: string;
  problem?: string;
};

export type MachineBehindServer = {
  host: string;
  /** Server that its events come through. */
  by: string;
  lastEventAt: Time;
};

export type OpenRequest = {
  id: string;
  agent: string;
  project: string;
  cwd: string;
  sessionId: string;
  /** The request. */
  lines: readonly string[];
  choices: readonly ("deny" | "allow")[];
  /** Options of the agent's questions, numbered from 1. */
  options?: readonly string[];
  /** Several options of a question may be chosen. */
  isMultiple?: boolean;
  /** Numbers of the options that have been chosen so far. */
  picked?: readonly number[];
  /** Why it can only be denied. */
  denyOnly?: string;
  askedAt: Time;
  /** The agent's own dialog decides from then on. */
  untilAt: Time;
};

export type Relay = {
  sources: readonly {
    name: string;
    link?: Link;
  }[];
  receiver?: {
    pid: number;
    problem?: string;
  };
  handingOver?: {
    notifier: string;
    servers?: readonly string[];
    waiting: number;
    oldestAt?: Time;
    fetchedAt?: Time;
  };
};

export type RemovedFile = {
  agent: string;
  path: string;
  result: "removed" | "would-remove" | "unchanged" | "refused";
  message?: string;
};

export type Request = {
  id: string;
  kind: Kind;
  agent: string;
  project: string;
  sessionId?: string;
};

export type SampleOutcome = {
  notifier?: string;
  status: JournalStatus;
  reason?: string;
  tookMs?: number;
};

export type Scope = "user" | "project" | "local";

export type SettingsFile = {
  scope: Scope;
  path: string;
  events: readonly string[];
  /** Events whose hook is missing, doubled or edited. */
  changed: readonly string[];
  otherHooks: number;
  /** Events whose hook waits for your answer from elsewhere. */
  asking?: readonly string[];
  /** Shortest of these waits, in seconds. */
  askSeconds?: number;
  copiedFrom?: readonly string[];
  /** Folders of other beckon homes that hooks in the file call. */
  otherHomes?: readonly string[];
  installedAt?: Time;
  /** Events that you chose. */
  chosen?: readonly string[];
  problem?: string;
  ignoredBy?: "all versions" | "some versions";
  /** Setting that disables all hooks. */
  offSwitch?: string;
  /** Why a file that only beckon should write differs from what this version writes. */
  ownProblem?: "outdated" | "edited" | "foreign";
  unknownEvents?: readonly string[];
};

export type Share = {
  name: string;
  sessions: number;
  waitedMs: number;
  /** Median. */
  reactionMs?: number;
  /** Events with a message sent. */
  calls: number;
  /** Events with a message held. */
  held: number;
  finished: number;
  failed: number;
  tokens?: number;
  credits?: number;
};

export type SnoozedTarget = {
  untilAt: Time;
  project?: string;
  session?: string;
  notifier?: string;
};

export type StartedService = {
  service: string;
};

export type StoppedSending = {
  notifiers: readonly string[];
  deleted: number;
};

export type TeamSession = {
  person: string;
  kind: Kind;
  sinceAt: Time;
  waitedMs: number;
  agent: string;
  project: string;
  host: string;
  title?: string;
};

export type Usual = {
  days: number;
  waitedMs: number;
  /** Median. */
  reactionMs?: number;
  /** Events with a message sent. */
  calls: number;
  /** Events with a message held. */
  held: number;
  finished: number;
  failed: number;
};

export type WaitingSession = {
  state: "waiting";
  id: string;
  kind: Kind;
  sinceAt: Time;
  waitedMs: number;
  agent: string;
  project: string;
  host?: string;
  sessionId?: string;
  cwd?: string;
  title?: string;
  request?: string;
  /** You reacted to a message. */
  noticed?: true;
};
