/**
 * Folder that is used as the root of the file system, and looks like a platform to the launcher, the installer and the
 * worker.
 */
export interface Root {
  readonly name: string;
  /** Platform that people use and that the root resembles. */
  readonly standsFor: string;
  /** Shell that is `/bin/sh`: the name of a program of this machine, or an absolute path. */
  readonly sh: string;
  /** Source of `cat`, `mv` and the like. */
  readonly tools: "debian" | "busybox" | "toybox";
  /** Installed programs among those that some platforms lack. */
  readonly has: readonly Extra[];
  /** True if there is a `/proc`. */
  readonly hasProc: boolean;
  /** Place of the programs: all in `/bin`, or all except `sh` and `env` in a folder that only PATH names. */
  readonly layout: "usual" | "store";
  /** Key of a Node in `versions.json`. */
  readonly node: "oldest" | "20" | "22" | "24" | "26";
}

/** Programs that the launcher uses if they exist. */
export const extras = ["perl", "setsid", "timeout"] as const;
export type Extra = (typeof extras)[number];

const linux = { tools: "debian", has: extras, hasProc: true, layout: "usual", node: "20" } as const;
/**
 * Common traits of the roots for a Mac, which has no `/proc`, `setsid` or `timeout`. toybox's tools, like a Mac's, are
 * not GNU's.
 */
const mac = { tools: "toybox", has: ["perl"], hasProc: false, layout: "usual", node: "20" } as const;

const busybox = { sh: "busybox", tools: "busybox", has: ["setsid", "timeout"] } as const;

/** All roots. */
export const roots: readonly Root[] = [
  { ...linux, name: "debian", standsFor: "Debian, Ubuntu; the oldest Node", sh: "dash", node: "oldest" },
  { ...linux, name: "debian-node-22", standsFor: "Debian, Ubuntu", sh: "dash", node: "22" },
  { ...linux, name: "debian-node-24", standsFor: "Debian, Ubuntu", sh: "dash", node: "24" },
  { ...linux, name: "debian-node-26", standsFor: "Debian, Ubuntu", sh: "dash", node: "26" },
  { ...linux, name: "fedora", standsFor: "Fedora, Arch, openSUSE", sh: "bash" },
  { ...linux, ...busybox, name: "alpine", standsFor: "Alpine and other BusyBox systems" },
  { ...linux, name: "nixos", standsFor: "NixOS", sh: "bash", has: ["setsid", "timeout"], layout: "store" },
  { ...linux, name: "toybox", standsFor: "Toybox systems", sh: "mksh", tools: "toybox", has: ["setsid", "timeout"] },
  { ...linux, name: "ksh", standsFor: "ksh93 as sh", sh: "ksh93" },
  { ...linux, name: "zsh", standsFor: "zsh as sh", sh: "zsh" },
  { ...linux, name: "posh", standsFor: "posh as sh", sh: "posh" },
  { ...linux, name: "yash", standsFor: "yash as sh", sh: "yash" },
  { ...linux, name: "no-timeout", standsFor: "systems without timeout", sh: "dash", has: ["perl", "setsid"] },
  { ...mac, name: "macos", standsFor: "macOS, where sh is bash", sh: "bash" },
  { ...mac, name: "macos-dash", standsFor: "macOS with dash chosen as sh", sh: "dash" },
  { ...mac, name: "macos-zsh", standsFor: "macOS with zsh chosen as sh", sh: "zsh" },
  {
    ...mac,
    has: [],
    name: "macos-without-perl",
    standsFor: "macOS with dash, after Apple has removed perl",
    sh: "dash",
  },
];
