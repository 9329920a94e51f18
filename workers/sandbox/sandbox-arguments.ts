/** What the sandbox of one command looks like; every path is absolute, exists and has its links resolved. */
export interface SandboxLayout {
  /** Directory the command starts in, inside the workspace. */
  readonly directory: string;
  /** Writable trees: the workspace first. */
  readonly writable: readonly string[];
  /** A private directory seen as `/tmp` and `/var/tmp`. */
  readonly temporary: string;
  /** Directories and files inside writable trees that stay read-only, but for writable trees inside them. */
  readonly protected: readonly string[];
  /** Directories seen as empty. */
  readonly hiddenDirectories: readonly string[];
  /** Files and sockets seen as the empty device. */
  readonly hiddenFiles: readonly string[];
  /** Directories below hidden ones that stay readable (tool chains below `/run`). */
  readonly shown: readonly string[];
}

/** What the installed bubblewrap and kernel can do. */
export interface SandboxFeatures {
  readonly program: string;
  /** Whether further user namespaces can be forbidden inside. */
  readonly disableUserNamespaces: boolean;
  /** {@link sandboxProcessLimit}, or less where the user's own hard limit is lower. */
  readonly processLimit: number;
  /** Whether the user is root, who owns the kernel's settings even without any capability. */
  readonly isRoot: boolean;
  /** Whether there is a system call filter for this machine; bubblewrap gets it at {@link filterDescriptor}. */
  readonly filtered: boolean;
}

/** Most processes and threads one sandboxed command may have. */
export const sandboxProcessLimit = 2048;

/** Flags no sandbox goes without: own user, process, network, IPC and host name; no capability; no terminal; no orphan. */
export function isolationFlags(features: SandboxFeatures): readonly string[] {
  return [
    "--unshare-user",
    ...(features.disableUserNamespaces ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--hostname", "sandbox"],
  ];
}

/**
 * The argument vector that runs `argv` inside. Mounts are applied in order, so later ones win: the host read-only, the
 * private places, the writable trees (they may lie below `/tmp`) with what is protected in them, and last what is hidden.
 */
export function sandboxArguments(
  features: SandboxFeatures,
  layout: SandboxLayout,
  argv: readonly [string, ...string[]],
): [string, ...string[]] {
  const hidden = outermost(layout.hiddenDirectories);
  const holdsWritable = (directory: string): boolean =>
    layout.writable.some((path) => isInside(path, directory));
  const isInWritable = (path: string, directory: string): boolean =>
    layout.writable.some((tree) => isInside(tree, directory) && isInside(path, tree));
  return [
    features.program,
    ...isolationFlags(features),
    ...baseMounts(),
    ...["--bind", layout.temporary, "/tmp", "--bind", layout.temporary, "/var/tmp"],
    // A hidden directory may hold a writable tree (an isolated checkout among our own data): then it is hidden first.
    ...hidden.filter(holdsWritable).flatMap((path) => ["--tmpfs", path]),
    ...treeMounts(layout),
    ...hidden.filter((path) => !holdsWritable(path)).flatMap((path) => ["--tmpfs", path]),
    ...layout.hiddenFiles
      .filter(
        (path) => !hidden.some((directory) => isInside(path, directory) && !isInWritable(path, directory)),
      )
      .flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...layout.shown.flatMap((path) => ["--ro-bind", path, path]),
    ...["/run", "/dev", ...hidden].flatMap((path) => ["--remount-ro", path]),
    ...processFlags(features),
    ...filterFlags(features),
    ...["--json-status-fd", String(statusDescriptor)],
    ...["--chdir", layout.directory, "--", ...limitPrefix(features), ...argv],
  ];
}

/** Bytes of shared memory a sandboxed command may use. */
export const sharedMemoryBytes = 1024 * 1024 * 1024;

/** What every sandbox stands on: the host read-only, own devices, own processes, own and bounded shared memory. */
export function baseMounts(): readonly string[] {
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    ...["--perms", "1777", "--size", String(sharedMemoryBytes), "--tmpfs", "/dev/shm"],
  ];
}

/**
 * The files below /proc/sys belong to root, and bubblewrap protects the directory only where it may be written, which is
 * nowhere: without this, root in a sandbox could name a program that the kernel runs outside (kernel.core_pattern).
 */
function processFlags({ isRoot }: SandboxFeatures): readonly string[] {
  return isRoot ? ["--remount-ro", "/proc"] : [];
}

/** Descriptor at which bubblewrap reads the system call filter. */
export const filterDescriptor = 3;
/** Descriptor at which bubblewrap writes whether the command began. */
export const statusDescriptor = 4;

export function filterFlags({ filtered }: SandboxFeatures): readonly string[] {
  return filtered ? ["--seccomp", String(filterDescriptor)] : [];
}

/** Sets the limits inside, where the count of processes starts at none for the new user namespace. */
function limitPrefix(features: SandboxFeatures): readonly string[] {
  return ["/usr/bin/prlimit", `--nproc=${features.processLimit}`, "--core=0", "--"];
}

/** Whether `path` is `directory` or lies below it. */
export function isInside(path: string, directory: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`);
}

/** The given directories without those that lie inside another one. */
function outermost(paths: readonly string[]): readonly string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(path, other)));
}

/** Outer paths first, since what is protected in a writable tree may itself hold a writable one. */
function treeMounts({ writable, protected: sealed }: SandboxLayout): readonly string[] {
  const depth = (path: string): number => path.split("/").length;
  return [
    ...[...new Set(writable)].map((path) => ({ path, flag: "--bind" })),
    ...[...new Set(sealed)].map((path) => ({ path, flag: "--ro-bind" })),
  ]
    .sort((left, right) => depth(left.path) - depth(right.path))
    .flatMap(({ path, flag }) => [flag, path, path]);
}
