/**
 * How far a command chain may go without a person, by rules alone. A classifier may be talked into anything by the text it judges;
 * these rules cannot, so they bound what its answer can allow.
 */
import { type ChainCommand, commandChain, runsItsInput } from "./command-chain.ts";
import { type CommandPlace, unreadableEffect } from "./readable-effects.ts";

/** `full`: no rule is against the user's privileges. `sandbox`: at most sandboxed; `reason` names the part that decides. */
export type CommandCeiling =
  | { readonly kind: "full" }
  | { readonly kind: "sandbox"; readonly reason: string };

/** Programs that change the system, its users, its services or its devices, or gain privileges. */
const systemPrograms = new Set([
  ...["sudo", "doas", "su", "runuser", "pkexec", "setpriv", "nsenter", "unshare", "chroot", "capsh", "gdb"],
  ...[
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "init",
    "telinit",
    "systemctl",
    "service",
    "launchctl",
    "kexec",
  ],
  ...[
    "mount",
    "umount",
    "losetup",
    "cryptsetup",
    "fdisk",
    "sfdisk",
    "parted",
    "wipefs",
    "blkdiscard",
    "swapoff",
  ],
  ...["insmod", "rmmod", "modprobe", "sysctl", "iptables", "ip6tables", "nft", "ufw", "route", "ip"],
  ...[
    "useradd",
    "userdel",
    "usermod",
    "groupadd",
    "groupdel",
    "passwd",
    "chpasswd",
    "visudo",
    "vipw",
    "chsh",
  ],
  ...[
    "crontab",
    "at",
    "batch",
    "systemd-run",
    "loginctl",
    "ssh-add",
    "ssh-keygen",
    "gpg",
    "security",
    "keyctl",
  ],
  ...[
    "shred",
    "mkswap",
    "debugfs",
    "hdparm",
    "nvme",
    "efibootmgr",
    "grub-install",
    "update-grub",
    "dconf",
    "gsettings",
  ],
]);

/** Directories below which nothing is written or removed without a person. */
const systemDirectories =
  /^\/(?:etc|boot|usr|bin|sbin|lib|lib64|sys|proc|dev|root|var\/(?:lib|spool|log)|System|Library)(?:\/|$)/;
const harmlessDevices = /^\/dev\/(?:null|zero|stdout|stderr|stdin|tty|fd\/[0-9]+|shm\/.+)$/;

/**
 * The ceiling of a command's text: `full` only when every part is known to have no effect outside of the workspace but on the network.
 * What is dangerous is looked for first, for the better reason.
 */
export function commandCeiling(text: string, place: CommandPlace): CommandCeiling {
  const chain = commandChain(text);
  if (chain.kind === "opaque") return { kind: "sandbox", reason: chain.reason };
  for (const command of chain.commands) {
    const reason = danger(command);
    if (reason !== undefined) return { kind: "sandbox", reason };
  }
  const reason = unreadableEffect(text, chain.commands, place);
  return reason === undefined ? { kind: "full" } : { kind: "sandbox", reason };
}

/** Why a command needs a person before it runs with the user's privileges. */
function danger(command: ChainCommand): string | undefined {
  const name = command.name?.split("/").at(-1) ?? "";
  const shown = JSON.stringify(command.text.slice(0, 120));
  if (systemPrograms.has(name) || /^mkfs(?:\.|$)/.test(name))
    return `${shown} changes the system or gains privileges.`;
  if (command.piped && runsItsInput(command)) return `${shown} runs whatever it is given as input.`;
  const written = command.redirections.find(
    ({ operator, target }) => operator.includes(">") && isSystemTarget(target),
  );
  if (written !== undefined)
    return `${shown} writes to ${written.target ?? "a place that is only known when it runs"}.`;
  if (
    command.assignments.some((text) =>
      /^(?:PATH|LD_[A-Z_]+|BASH_ENV|ENV|IFS|PROMPT_COMMAND|GIT_[A-Z_]*COMMAND)\+?=/.test(text),
    )
  ) {
    return `${shown} runs with an environment that decides what other programs run.`;
  }
  return fileDanger(name, command, shown);
}

/** Removing, changing and copying over places outside of anybody's project. */
function fileDanger(name: string, command: ChainCommand, shown: string): string | undefined {
  const literals = command.arguments.filter((argument) => argument !== undefined);
  if (
    name === "dd" &&
    literals.some((argument) => argument.startsWith("of=") && isSystemTarget(argument.slice(3)))
  ) {
    return `${shown} writes to a device or a place of the system.`;
  }
  if (
    ![
      "rm",
      "rmdir",
      "mv",
      "cp",
      "ln",
      "chmod",
      "chown",
      "chgrp",
      "tee",
      "truncate",
      "install",
      "rsync",
    ].includes(name)
  ) {
    return undefined;
  }
  const removes = name === "rm" || name === "mv" || name === "chmod" || name === "chown" || name === "chgrp";
  const places =
    name === "cp" || name === "ln" || name === "install" || name === "rsync" ? literals.slice(-1) : literals;
  if (places.some((place) => systemDirectories.test(place) && !harmlessDevices.test(place))) {
    return `${shown} touches a place of the system.`;
  }
  if (removes && places.some((place) => /^(?:\/|\/home|\/home\/[^/]+|\.\.|\/\.\.)\/*$/.test(place))) {
    return `${shown} touches a whole home or the whole system.`;
  }
  // What an expansion decides may be anything: `rm -rf $DIR/`.
  const recursive = literals.some((argument) => /^-(?:[A-Za-z]*[rR]|-recursive$)/.test(argument));
  if (removes && recursive && command.arguments.includes(undefined)) {
    return `${shown} works recursively on a place that is only known when it runs.`;
  }
  return undefined;
}

function isSystemTarget(target: string | undefined): boolean {
  return target === undefined ? false : systemDirectories.test(target) && !harmlessDevices.test(target);
}
