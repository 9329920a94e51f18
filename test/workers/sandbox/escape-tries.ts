/** One way out of a sandbox. It counts as found when it prints ESCAPED or changes anything outside (see the scene). */
export interface EscapeTry {
  readonly name: string;
  /** Bash, started in the workspace. See the scene for the variables it may use. */
  readonly script: string;
  /**
   * Whether the same script must get out when it is run without a sandbox, which proves that it would be noticed:
   * for everybody, for root only, or not at all because it would harm the machine or needs what a machine may lack.
   */
  readonly control: "all" | "root" | "none";
}

const perlConnect = (address: string): string =>
  `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) && connect(S,pack_sockaddr_un($ARGV[0])) && print "ESCAPED\\n"' -- ${address}`;

const systemCall = (x64: number, arm64: number, rest: string): string =>
  `perl -e '$n = \`uname -m\` =~ /aarch64/ ? ${arm64} : ${x64}; ${rest}'`;

const readsSecret = (path: string): string => `grep -q s3cret ${path} && echo ESCAPED`;

function tries(
  control: EscapeTry["control"],
  scripts: Readonly<Record<string, string>>,
): readonly EscapeTry[] {
  return Object.entries(scripts).map(([name, script]) => ({ name, script, control }));
}

export const escapeTries: readonly EscapeTry[] = [
  ...tries("all", {
    "write a file": 'echo x > "$OUTSIDE/new"',
    "append to a file": 'echo x >> "$OUTSIDE/file"',
    "remove a file": 'rm -f "$OUTSIDE/file"',
    "rename over a file": 'echo x > mine; mv -f mine "$OUTSIDE/file"',
    "write through a symbolic link": 'ln -s "$OUTSIDE" link; echo x > link/new',
    "write through a hard link": 'ln "$OUTSIDE/file" linked && echo x > linked',
    "climb up": "cd .. && echo x > outside/new",
    "climb up from /proc/self/cwd": "echo x > /proc/self/cwd/../outside/new",
    "go through /proc/self/root": 'echo x > "/proc/self/root$OUTSIDE/new"',
    "go through an open directory": 'exec 9<"$OUTSIDE"; echo x > /proc/self/fd/9/new',
    "change a mode": 'chmod 777 "$OUTSIDE/file"',
  }),
  ...tries("none", {
    "write a system file": "echo x > /etc/autolith-escape && echo ESCAPED",
    "move the workspace away": 'mv "$PWD" "$OUTSIDE/stolen"',
    "read through /proc/1/root": readsSecret('"/proc/1/root$HIDDEN/secret"'),
    "remount the root": "mount -o remount,rw / && echo ESCAPED",
    "remount a directory": 'mount -o remount,bind,rw "$OUTSIDE" && echo ESCAPED',
    "mount over a directory": 'mount --bind "$PWD" "$OUTSIDE" && echo ESCAPED',
    "mount the host's processes": "mkdir -p p && mount -t proc proc p && echo ESCAPED",
    "change the root": "chroot /proc/1/root true && echo ESCAPED",
    "enter namespaces": "nsenter -t 1 -m true && echo ESCAPED; nsenter -t 1 -p true && echo ESCAPED",
    "make a device": "mknod disk b 259 0 && echo ESCAPED",
    "read a raw disk": 'for d in /dev/vd? /dev/sd? /dev/nvme?n?; do [ -e "$d" ] && echo ESCAPED; done',
    "read kernel memory":
      "head -c1 /proc/kcore | grep -q . && echo ESCAPED; head -c1 /dev/mem && echo ESCAPED",
    "change kernel settings": "echo x > /proc/sys/kernel/core_pattern && echo ESCAPED",
    "change any kernel setting as root":
      "[ $(id -u) = 0 ] && find /proc -maxdepth 4 -type f -path '/proc/[a-z]*' ! -path '/proc/self/*' ! -path '/proc/thread-self/*' -writable 2>/dev/null | grep -q . && echo ESCAPED",
    "use the system request key": "echo h > /proc/sysrq-trigger && echo ESCAPED",
    "write to sysfs": "find /sys -maxdepth 4 -type f -writable 2>/dev/null | grep -q . && echo ESCAPED",
    "make a control group":
      "mkdir /sys/fs/cgroup/escape /sys/fs/cgroup/pids/escape 2>/dev/null && echo ESCAPED",
    "leave the control group":
      "echo $$ > /sys/fs/cgroup/cgroup.procs && echo ESCAPED; echo $$ > /sys/fs/cgroup/pids/cgroup.procs && echo ESCAPED",
    "change the host name": "hostname escaped && echo ESCAPED",
    "become another user by su": "su -s /bin/sh -c 'echo ESCAPED' nobody",
    "become root by sudo": "sudo -n true && echo ESCAPED",
    "give file capabilities": "cp /bin/true t && setcap cap_sys_admin+ep t && echo ESCAPED",
    "give a file away": "touch f && chown 1:1 f && echo ESCAPED",
    "signal everything": "kill -KILL -1",
    "open the terminal": "(exec 9<>/dev/tty) 2>/dev/null && echo ESCAPED",
    "find another network": "[ $(grep -c : /proc/net/dev) -gt 1 ] && echo ESCAPED",
    "ask the name service": "getent hosts autolith-escape.example && echo ESCAPED",
    "open a socket to the hypervisor": "perl -e 'socket(S,40,1,0) && print \"ESCAPED\\n\"'",
    "use io_uring": systemCall(425, 425, '$p = "\\0" x 120; print "ESCAPED\\n" if syscall($n, 1, $p) >= 0;'),
    "install a cron job":
      "echo x > /var/spool/cron/crontabs/x && echo ESCAPED; echo x | crontab - && echo ESCAPED",
    "write to a descriptor of the host":
      'perl -e \'for (3..1023) { $t = readlink("/proc/self/fd/$_"); print "ESCAPED $t\\n" if defined $t && $t ne "/dev/null" }\'',
  }),
  ...tries("all", {
    "unmount what hides": `umount -l "$HIDDEN"; ${readsSecret('"$HIDDEN/secret"')}`,
    "unmount in a user namespace of its own": `unshare -Urm sh -c 'umount -l "$HIDDEN" 2>/dev/null; grep -q s3cret "$HIDDEN/secret"' && echo ESCAPED`,
    "make a user namespace": "unshare -U true && echo ESCAPED",
    "gain privileges by a program": "grep -q 'NoNewPrivs:.*1' /proc/self/status || echo ESCAPED",
    "make a file setuid": "cp /bin/true tool && chmod u+s tool && echo ESCAPED",
    "make a file setuid through its descriptor":
      'cp /bin/true tool && perl -e \'open(F, "<", "tool"); chmod(04755, *F) && print "ESCAPED\\n"\'',
    "create a file setuid":
      'perl -e \'umask 0; sysopen(F, "born", 0101, 04755) && ((stat "born")[2] & 04000) && print "ESCAPED\\n"\'',
    "signal a process": 'kill -0 "$TARGET" && echo ESCAPED',
    "read a process's environment": 'head -c 1 "/proc/$TARGET/environ" | grep -q . && echo ESCAPED',
    "list processes":
      "grep -l 'autolith-targe[t]' /proc/[0-9]*/cmdline 2>/dev/null | grep -q . && echo ESCAPED",
    "find a secret in an environment":
      "grep -l 'AUTOLITH_ESCAPE_SECRE[T]' /proc/[0-9]*/environ 2>/dev/null | grep -q . && echo ESCAPED",
    "push input into a terminal":
      'perl -e \'$b = "x"; ioctl(STDIN, 0x5412, $b); print "ESCAPED\\n" unless $! == 1\'',
    "use the kernel's key rings": systemCall(250, 219, 'print "ESCAPED\\n" if syscall($n, 0, -3, 0) >= 0;'),
    "connect to our Redis socket": perlConnect('"$HIDDEN/r.sock"'),
    "connect to an agent's socket": perlConnect('"$OUTSIDE/agent.sock"'),
    "connect to a docker-like socket": perlConnect('"$HOME/.docker/run/docker.sock"'),
    "connect to an abstract socket": `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) && connect(S,pack_sockaddr_un("\\0$ENV{ABSTRACT}")) && print "ESCAPED\\n"'`,
    "connect over TCP": "exec 9<>/dev/tcp/127.0.0.1/$TCP && echo ESCAPED",
    "send over UDP": "echo x > /dev/udp/127.0.0.1/$UDP",
    "see the service directory": '[ -n "$(ls -A /run)" ] && echo ESCAPED',
    "see the host's temporary files": '[ -e "$TEMPORARY_MARKER" ] && echo ESCAPED',
    "see the host's shared memory": '[ -e "$SHARED_MARKER" ] && echo ESCAPED',
    "read our state": readsSecret('"$HIDDEN/secret"'),
    "read our state through a link": `ln -s "$HIDDEN" h; ${readsSecret("h/secret")}`,
    "read an SSH key": readsSecret("~/.ssh/id_ed25519"),
    "read cloud credentials": readsSecret("~/.aws/credentials"),
    "read login data": readsSecret("~/.netrc"),
    "read a forge's token": readsSecret("~/.config/gh/hosts.yml"),
    "read a registry's token": readsSecret("~/.npmrc"),
    "read the shell's history": readsSecret("~/.bash_history"),
    "plant a git hook": "printf '#!/bin/sh\\n' > .git/hooks/post-commit",
    "configure git to run something": 'git config core.fsmonitor "touch $OUTSIDE/fs"',
    "append to git's configuration": "echo '[core] pager = x' >> .git/config",
    "put another repository in place":
      "mv .git away && mkdir .git && cp -r away/* .git/ && echo '[x]' >> .git/config",
    "link another repository in place": "rm -rf .git; ln -s elsewhere .git",
    "give files git attributes": "echo '* filter=x' > .git/info/attributes",
    "configure the user's git": "git config --global core.pager x",
    "change shell start-up files": "echo x >> ~/.bashrc; echo x >> ~/.profile",
    "install a user service": "mkdir -p ~/.config/systemd/user && echo x > ~/.config/systemd/user/e.service",
    "define a role in the workspace": "mkdir -p .autolith/agents && echo x > .autolith/agents/evil.sexp",
    "run an npm script": `printf '{"scripts":{"e":"echo x > \\\\"$OUTSIDE/npm\\\\""}}' > package.json; npm run --silent e`,
  }),
  ...tries("root", {
    "have capabilities":
      "grep -E '^Cap(Prm|Eff|Bnd)' /proc/self/status | grep -qv '0000000000000000' && echo ESCAPED",
    "trace a process": systemCall(
      101,
      117,
      'print "ESCAPED\\n" if syscall($n, 16, $ENV{TARGET} + 0, 0, 0) >= 0;',
    ),
    "read password hashes": "head -c1 /etc/shadow | grep -q . && echo ESCAPED",
    "open a raw socket": "perl -e 'socket(S,17,3,0) && print \"ESCAPED\\n\"'",
    "make a file setgid":
      "[ $(id -u) = 0 ] && cp /bin/true tool && chmod g+s tool && [ -g tool ] && echo ESCAPED",
  }),
];
