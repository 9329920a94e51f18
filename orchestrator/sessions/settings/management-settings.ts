/** The settings of the management REPL (manual, facts G): fixed at the start, by their variables. */

const prefix = "AUTOLITH_MANAGEMENT_REPL";

const fixed = { scope: "process", group: "management" } as const;
const count = { ...fixed, type: "integer", minimum: 1 } as const;
const path = { ...fixed, type: "path", initial: null, optional: true } as const;

export const managementSettings = [
  {
    ...fixed,
    name: "management-repl-enabled-p",
    type: "boolean",
    initial: false,
    environment: prefix,
    description: "Open the management REPL.",
  },
  {
    ...fixed,
    name: "management-repl-transport",
    type: "choice",
    initial: "unix",
    choices: ["unix", "tcp"] as string[],
    environment: `${prefix}_TRANSPORT`,
    description: "How the management REPL is reached.",
  },
  {
    ...path,
    name: "management-repl-unix-socket-path",
    environment: `${prefix}_UNIX_SOCKET`,
    description: "Its Unix socket.",
  },
  {
    ...path,
    name: "management-repl-token-file-path",
    environment: `${prefix}_TOKEN_FILE`,
    description: "The file of its token, mode 0600.",
  },
  {
    ...fixed,
    name: "management-repl-tcp-address",
    type: "string",
    initial: "127.0.0.1",
    environment: `${prefix}_TCP_ADDRESS`,
    description: "The IPv4 loopback address that it listens on.",
  },
  {
    ...count,
    name: "management-repl-tcp-port",
    maximum: 65_535,
    initial: 4_141,
    environment: `${prefix}_TCP_PORT`,
    description: "The TCP port that it listens on.",
  },
  {
    ...count,
    name: "management-repl-evaluation-timeout",
    initial: 10,
    environment: `${prefix}_TIMEOUT`,
    description: "Seconds that one evaluation may take.",
  },
  {
    ...count,
    name: "management-repl-authentication-timeout",
    initial: 10,
    environment: `${prefix}_AUTH_TIMEOUT`,
    description: "Seconds that a client gets to prove itself.",
  },
  {
    ...count,
    name: "management-repl-maximum-frame-size",
    minimum: 128,
    initial: 1_048_576,
    environment: `${prefix}_MAX_FRAME`,
    description: "Bytes of one frame.",
  },
  {
    ...count,
    name: "management-repl-maximum-source-size",
    initial: 262_144,
    environment: `${prefix}_MAX_SOURCE`,
    description: "Bytes of one form's source.",
  },
  {
    ...count,
    name: "management-repl-maximum-output-size",
    initial: 262_144,
    environment: `${prefix}_MAX_OUTPUT`,
    description: "Characters of captured output and values.",
  },
  {
    ...count,
    name: "management-repl-queue-capacity",
    initial: 8,
    environment: `${prefix}_QUEUE_CAPACITY`,
    description: "Evaluations that may wait.",
  },
  {
    ...count,
    name: "management-repl-maximum-clients",
    initial: 8,
    environment: `${prefix}_MAX_CLIENTS`,
    description: "Connections, those that have not proved themselves included.",
  },
] as const;
