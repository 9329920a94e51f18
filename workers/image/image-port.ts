/** What an image in a thread gets of the machine: files, clocks, and no terminal, which belongs to the process around it. */
import type { HostPort, HostTerminal } from "../../lisp/streams/host-port.ts";
import { nodeFiles, nodeHostPort } from "../../lisp/streams/node-host.ts";
import type { LispMachine } from "../../orchestrator/contract/lisp-image.ts";
import { treeFiles } from "./tree-files.ts";

/** The streams of an evaluation are its own; what is written beside them has nobody to read it, and input is at its end. */
const noTerminal: HostTerminal = {
  readInput: () => new Uint8Array(),
  inputReady: () => Promise.resolve(),
  inputPending: () => false,
  writeOutput: () => undefined,
  writeError: () => undefined,
  width: () => undefined,
};

/** The port; undefined gives the files of the user. */
export function imagePort(machine: LispMachine | undefined): HostPort {
  const whole = nodeHostPort();
  if (machine === undefined) return { ...whole, terminal: noTerminal };
  const { directory, files } = machine;
  return {
    ...whole,
    terminal: noTerminal,
    files:
      files.kind === "tree"
        ? treeFiles(files.root, directory)
        : { ...nodeFiles, currentDirectory: () => directory },
  };
}
