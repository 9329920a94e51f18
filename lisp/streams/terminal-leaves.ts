import type { LeafInstaller } from "../data/leaf.ts";
import { NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { SynonymStream, TwoWayStream } from "./composite-streams.ts";
import type { HostPort, HostTerminal } from "./host-port.ts";
import { asStream } from "./stream-access.ts";
import { TerminalInputStream, TerminalOutputStream } from "./terminal-stream.ts";

/** Installer of the standard streams of an image whose terminal is this port's. */
export function terminalInstaller({ terminal }: HostPort): LeafInstaller {
  return (define, host) => {
    const interactive = terminal.width() !== undefined;
    const echoing: HostTerminal = {
      ...terminal,
      readInput: () => {
        // Who is asked sees the question first.
        output.finishOutput();
        const bytes = terminal.readInput();
        // The terminal has echoed the end of the line that was typed.
        if (interactive) output.lineStarted();
        return bytes;
      },
    };
    const input = new TerminalInputStream(echoing, interactive);
    const output = new TerminalOutputStream(
      (text) => terminal.writeOutput(text),
      () => terminal.width(),
      false,
    );
    const errors = new TerminalOutputStream(
      (text) => terminal.writeError(text),
      () => terminal.width(),
      true,
    );
    const both = new TwoWayStream(input, output);
    const originals = new Map<LispValue, LispValue>();
    const set = (name: string, value: LispValue): void => {
      const symbol = host.symbol(name);
      symbol.kind = "special";
      symbol.value = value;
      originals.set(symbol, value);
    };
    const synonym = (name: string): SynonymStream => {
      const symbol = host.symbol(name);
      return new SynonymStream(symbol, () => asStream(symbol.value));
    };
    set("*TERMINAL-IO*", both);
    set("*STANDARD-INPUT*", input);
    set("*STANDARD-OUTPUT*", output);
    set("*ERROR-OUTPUT*", errors);
    set("*TRACE-OUTPUT*", synonym("*STANDARD-OUTPUT*"));
    set("*QUERY-IO*", synonym("*TERMINAL-IO*"));
    set("*DEBUG-IO*", synonym("*TERMINAL-IO*"));
    define("SYS:%TERMINAL-LINE", "stream", (stream: LispValue) =>
      stream instanceof TerminalInputStream ? stream.line() : NIL,
    );
    define("SYS:%TERMINAL-STREAM", "variable", (variable: LispValue) => {
      for (const stream of [input, output, errors, both]) stream.open = true;
      return originals.get(variable) ?? NIL;
    });
    define("SYS:%FLUSH-TERMINAL", "", () => {
      output.finishOutput();
      errors.finishOutput();
      return output;
    });
  };
}
