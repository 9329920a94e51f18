/*
 * A seccomp program for sandboxed commands. Namespaces do not cover everything: sockets to the hypervisor, the kernel's
 * key rings and input pushed into a terminal have no namespace, and a file made setuid in the workspace stays so outside.
 */

interface SystemCalls {
  /** The kernel's name for the architecture in a filter's data. */
  readonly architecture: number;
  readonly number: Readonly<Record<string, number | undefined>>;
}

/** Numbers of the calls that are looked at; a call an architecture does not have is absent. */
const tables: Readonly<Partial<Record<NodeJS.Architecture, SystemCalls>>> = {
  x64: {
    architecture: 0xc000003e,
    number: {
      ...{
        open: 2,
        creat: 85,
        openat: 257,
        openat2: 437,
        chmod: 90,
        fchmod: 91,
        fchmodat: 268,
        fchmodat2: 452,
      },
      ...{ mknod: 133, mknodat: 259, socket: 41, ioctl: 16, keyctl: 250, add_key: 248, request_key: 249 },
      ...{ io_uring_setup: 425, bpf: 321, perf_event_open: 298, userfaultfd: 323, open_by_handle_at: 304 },
      ...{ kexec_load: 246, kexec_file_load: 320, init_module: 175, finit_module: 313, delete_module: 176 },
    },
  },
  arm64: {
    architecture: 0xc00000b7,
    number: {
      ...{
        openat: 56,
        openat2: 437,
        fchmod: 52,
        fchmodat: 53,
        fchmodat2: 452,
        mknodat: 33,
        socket: 198,
        ioctl: 29,
      },
      ...{ keyctl: 219, add_key: 217, request_key: 218, io_uring_setup: 425, bpf: 280, perf_event_open: 241 },
      ...{
        userfaultfd: 282,
        open_by_handle_at: 265,
        kexec_load: 104,
        kexec_file_load: 294,
        init_module: 105,
      },
      ...{ finit_module: 273, delete_module: 106 },
    },
  },
};

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
const setuidBit = 0o4000;
const setgidBit = 0o2000;
/** Flags of an open that create a file and so give its mode a meaning: O_CREAT and the own bit of O_TMPFILE. */
const createFlags = 0o100 | 0o20000000;
/** Families with a namespace of their own: Unix, IPv4, IPv6, netlink. */
const namespacedFamilies = [1, 2, 10, 16];
/** Requests that put input into a terminal: TIOCSTI and TIOCLINUX. */
const inputRequests = [0x5412, 0x541c];

interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, whenTrue: 0, whenFalse: 0, value: offset });
const ifEqual = (value: number, whenTrue: number, whenFalse: number): Instruction => ({
  ...{ code: 0x15, whenTrue, whenFalse, value },
});
const ifAtLeast = (value: number, whenTrue: number, whenFalse: number): Instruction => ({
  ...{ code: 0x35, whenTrue, whenFalse, value },
});
const ifAnyBit = (mask: number, whenTrue: number, whenFalse: number): Instruction => ({
  ...{ code: 0x45, whenTrue, whenFalse, value: mask },
});
const answer = (value: number): Instruction => ({ code: 0x06, whenTrue: 0, whenFalse: 0, value });
const allow = answer(0x7fff0000);
const refuse = (error: number): Instruction => answer(0x00050000 | error);
/** Offset of the low half of an argument in the filter's data (little-endian machines only). */
const argument = (index: number): number => 16 + 8 * index;

/**
 * The filter as bubblewrap reads it, or undefined for an architecture that is not known here. Foreign architectures (and
 * the x32 calls of x64) get "no such call", since their numbers mean other things. As root the setgid bit is refused too.
 */
export function systemCallFilter(architecture: NodeJS.Architecture, isRoot: boolean): Buffer | undefined {
  const table = tables[architecture];
  if (table === undefined) return undefined;
  const modeBits = isRoot ? setuidBit | setgidBit : setuidBit;
  const blocks: readonly [string, readonly Instruction[]][] = [
    ["openat2", [refuse(errno.ENOSYS)]],
    ["io_uring_setup", [refuse(errno.ENOSYS)]],
    ...["chmod", "fchmod", "creat", "mknod"].map((name) => modeCheck(name, 1, modeBits)),
    ...["fchmodat", "fchmodat2", "mknodat"].map((name) => modeCheck(name, 2, modeBits)),
    openCheck("open", 1, modeBits),
    openCheck("openat", 2, modeBits),
    ["socket", oneOf(0, namespacedFamilies, allow, refuse(errno.EAFNOSUPPORT))],
    ["ioctl", oneOf(1, inputRequests, refuse(errno.EPERM), allow)],
    ...["keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "open_by_handle_at"].map(
      denied,
    ),
    ...["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"].map(denied),
  ];
  return assembled([
    load(4),
    ifEqual(table.architecture, 1, 0),
    refuse(errno.ENOSYS),
    load(0),
    ifAtLeast(0x40000000, 0, 1),
    refuse(errno.ENOSYS),
    ...blocks.flatMap(([name, body]) => {
      const number = table.number[name];
      return number === undefined ? [] : [ifEqual(number, 0, body.length), ...body];
    }),
    allow,
  ]);
}

function denied(name: string): [string, readonly Instruction[]] {
  return [name, [refuse(errno.EPERM)]];
}

/** Refuses a call whose mode argument holds one of the bits. */
function modeCheck(name: string, index: number, bits: number): [string, readonly Instruction[]] {
  return [name, [load(argument(index)), ifAnyBit(bits, 0, 1), refuse(errno.EPERM), allow]];
}

/** The same for an open, where the mode follows the flags and counts only when the flags create a file. */
function openCheck(name: string, flags: number, bits: number): [string, readonly Instruction[]] {
  return [
    name,
    [
      load(argument(flags)),
      ifAnyBit(createFlags, 0, 3),
      load(argument(flags + 1)),
      ifAnyBit(bits, 0, 1),
      refuse(errno.EPERM),
      allow,
    ],
  ];
}

/** One answer when an argument is among the values, else the other. */
function oneOf(
  index: number,
  values: readonly number[],
  found: Instruction,
  notFound: Instruction,
): readonly Instruction[] {
  const tests = values.map((value, at) => ifEqual(value, values.length - at, 0));
  return [load(argument(index)), ...tests, notFound, found];
}

function assembled(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, whenTrue, whenFalse, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
