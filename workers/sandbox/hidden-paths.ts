import { readdirSync, readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** Files and directories below a home that hold credentials, relative to it. */
const homeSecrets: readonly string[] = [
  ...[".ssh", ".aws", ".azure", ".gnupg", ".gpg", ".kube", ".docker", ".podman", ".password-store", ".pki"],
  ...[
    ".config/gh",
    ".config/glab-cli",
    ".config/gcloud",
    ".config/containers",
    ".config/op",
    ".config/doctl",
  ],
  ...[
    ".config/hub",
    ".config/rclone",
    ".config/sops",
    ".config/age",
    ".config/git/credentials",
    ".config/helm",
  ],
  ...[
    ".config/github-copilot",
    ".config/google-chrome",
    ".config/chromium",
    ".config/autolith",
    ".config/Code",
  ],
  ...[".config/configstore", ".config/netlify", ".config/fly", ".config/stripe", ".config/heroku", ".fly"],
  ...[".local/share/autolith", ".local/state/autolith", ".cache/autolith", ".local/share/keyrings"],
  ...[".local/share/containers", ".local/share/docker", ".local/share/gnupg", ".local/share/kwalletd"],
  ...[
    ".mozilla",
    ".thunderbird",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
  ],
  ...[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".gem/credentials",
    ".bundle/config",
    ".cargo/credentials",
  ],
  ...[
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
  ],
  ...[".composer/auth.json", ".config/composer/auth.json", ".config/pypoetry/auth.toml", ".terraform.d"],
  ...[
    ".terraformrc",
    ".vault-token",
    ".boto",
    ".s3cfg",
    ".oci",
    ".databrickscfg",
    ".snowflake",
    ".huggingface",
  ],
  ...[".cache/huggingface/token", ".claude", ".claude.json", ".codex", ".gemini", ".anthropic", ".openai"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".lesshst"],
  ...[
    ".local/share/fish/fish_history",
    ".rediscli_history",
    ".mysql_history",
    ".sqlite_history",
    ".Xauthority",
  ],
  ...[".ICEauthority", ".gnome2/keyrings", "Library/Keychains", "Library/Cookies", ".config/sops/age"],
];

/** System-wide places that hold credentials or sockets of services. `/run` and `/tmp` are replaced as a whole. */
const systemSecrets: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...[
    "/etc/security/opasswd",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/krb5.keytab",
    "/etc/docker",
    "/etc/kubernetes",
  ],
  ...["/etc/wireguard", "/etc/openvpn", "/etc/NetworkManager/system-connections"],
  ...["/var/lib/docker", "/var/lib/containerd", "/var/lib/containers", "/var/lib/kubelet", "/var/lib/sss"],
  ...[
    "/var/lib/NetworkManager",
    "/var/spool/cron",
    "/var/spool/mail",
    "/var/mail",
    "/var/backups",
    "/var/log",
  ],
  ...["/var/lib/systemd/coredump", "/var/crash", "/var/lib/redis", "/var/lib/mysql", "/var/lib/postgresql"],
  ...["/boot", "/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/bpf", "/swapfile"],
];

/** Whose credentials the user could read: the user's own home, and every home when the user is root. */
export function homeDirectories(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const homes = new Set<string>([homedir()]);
  if (environment["HOME"]?.startsWith("/") === true) homes.add(environment["HOME"]);
  homes.add(accountHome());
  if (process.getuid?.() === 0) for (const home of accountHomes()) homes.add(home);
  homes.delete("/");
  return [...homes];
}

/** The home of the account as the system records it, whatever HOME says; HOME's where the user has no account. */
export function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run under a user number that no account has.
    return homedir();
  }
}

function accountHomes(): readonly string[] {
  const noHomes = new Set([
    "/",
    "/bin",
    "/sbin",
    "/dev",
    "/usr",
    "/nonexistent",
    "/proc",
    "/sys",
    "/var",
    "/etc",
  ]);
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return lines
    .map((line) => line.split(":")[5])
    .filter((home): home is string => home !== undefined && home.startsWith("/") && !noHomes.has(home))
    .filter((home) => !/^\/(usr|bin|sbin|lib|dev|proc|sys)\//.test(home));
}

/**
 * Every path a sandboxed command must not see, before links are resolved. Some of them may not exist; of a home that can
 * be listed, names it does not have are left out, which saves most of the looking.
 */
export function secretPaths(homes: readonly string[], further: readonly string[]): readonly string[] {
  return [
    ...systemSecrets,
    ...homes.flatMap((home) => secretsOf(home).map((name) => join(home, name))),
    ...further,
  ];
}

function secretsOf(home: string): readonly string[] {
  try {
    const names = new Set(readdirSync(home));
    return homeSecrets.filter((path) => names.has(path.split("/", 1)[0] ?? ""));
  } catch (error) {
    // A home that may be entered but not listed can still hold any of them.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : homeSecrets;
  }
}

/**
 * Paths of the Unix sockets that are bound on this machine now. A socket ignores a read-only mount and an own network
 * namespace, so each one that would be visible must be covered. Empty where the kernel does not tell.
 */
export function boundSockets(table = readSocketTable()): readonly string[] {
  const paths = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    // Num RefCount Protocol Flags Type St Inode Path; an abstract name starts with @ and is out of reach anyway.
    const path = /^\S+: (?:\S+ +){5}\S+ (\/.*)$/.exec(line)?.[1];
    if (path !== undefined) paths.add(path);
  }
  return [...paths];
}

function readSocketTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
