import { LispError, storageError, typeError } from "../data/error.ts";
import { LInstance } from "../data/instance.ts";
import type { LeafHost } from "../data/leaf.ts";
import type { LSymbol } from "../data/symbol.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { SynonymStream } from "./composite-streams.ts";
import { NativeStream, StreamFault } from "./native-stream.ts";

/** Finds the streams that stream designators stand for. */
export class StreamAccess {
  private readonly terminal: LSymbol;
  private readonly standardInput: LSymbol;
  private readonly standardOutput: LSymbol;

  constructor(host: LeafHost) {
    this.terminal = host.symbol("*TERMINAL-IO*");
    this.standardInput = host.symbol("*STANDARD-INPUT*");
    this.standardOutput = host.symbol("*STANDARD-OUTPUT*");
  }

  /** The object an output stream designator (undefined, NIL, T or a stream) stands for. */
  outputObject(designator: LispValue | undefined): LispValue {
    return this.object(designator, this.standardOutput);
  }

  inputObject(designator: LispValue | undefined): LispValue {
    return this.object(designator, this.standardInput);
  }

  private object(designator: LispValue | undefined, standard: LSymbol): LispValue {
    if (designator instanceof SynonymStream) return lispStreamBehind(designator) ?? designator;
    if (designator instanceof NativeStream) return designator;
    if (designator !== undefined && designator !== NIL && designator !== T) return designator;
    const { value } = designator === T ? this.terminal : standard;
    return value instanceof SynonymStream ? (lispStreamBehind(value) ?? value) : value;
  }

  output(designator: LispValue | undefined): NativeStream {
    return asStream(this.outputObject(designator));
  }

  input(designator: LispValue | undefined): NativeStream {
    return asStream(this.inputObject(designator));
  }
}

/** The native stream a value is; anything else is a type-error. */
export function asStream(value: LispValue): NativeStream {
  if (value instanceof NativeStream) return value;
  throw typeError(value, "STREAM");
}

/** The stream of a class defined in Lisp that a synonym stream means at this moment, or null when it means a native one. */
function lispStreamBehind(synonym: SynonymStream): LispValue | null {
  let { value } = synonym.symbol as LSymbol;
  for (let i = 0; i < 100 && value instanceof SynonymStream; i++) value = (value.symbol as LSymbol).value;
  return isLispStream(value) ? value : null;
}

/** True for streams that are instances of classes defined in Lisp (Gray streams). */
export function isLispStream(value: LispValue): boolean {
  return value instanceof LInstance;
}

const expectedTypes: Partial<Record<StreamFault["kind"], string>> = {
  "not-input": "(SATISFIES INPUT-STREAM-P)",
  "not-output": "(SATISFIES OUTPUT-STREAM-P)",
  "not-character": "(SATISFIES AUTOLITH-SYSTEM::CHARACTER-STREAM-P)",
  "not-binary": "(SATISFIES AUTOLITH-SYSTEM::BINARY-STREAM-P)",
};

/** The Lisp error for a fault of a stream. */
function streamError(fault: StreamFault): LispError {
  const { stream, kind, datum } = fault;
  const expected = expectedTypes[kind];
  if (expected !== undefined) return typeError(stream, expected);
  if (kind === "bad-byte") return typeError(datum as LispValue, stream.elementTypeText());
  if (kind === "full") return storageError(fault.message);
  if (kind === "end-of-file") return new LispError("END-OF-FILE", [["STREAM", stream]]);
  const type =
    kind === "closed" ? "AUTOLITH-SYSTEM::CLOSED-STREAM-ERROR" : "AUTOLITH-SYSTEM::SIMPLE-STREAM-ERROR";
  return new LispError(type, [
    ["STREAM", stream],
    ["FORMAT-CONTROL", `The operation on ~S failed: ${fault.message.replaceAll("~", "~~")}`],
    ["FORMAT-ARGUMENTS", [stream]],
  ]);
}

/** Runs a stream operation; its faults become Lisp errors. */
export function guarded<T>(operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (error instanceof StreamFault) throw streamError(error);
    throw error;
  }
}

/** An argument that must be a stream of a given class. */
export function ofClass<T extends NativeStream>(
  value: LispValue,
  type: abstract new (...args: never[]) => T,
  name: string,
): T {
  if (value instanceof type) return value;
  throw typeError(value, name);
}

/** END-OF-FILE on a stream. */
export function endOfFile(stream: NativeStream): LispError {
  return new LispError("END-OF-FILE", [["STREAM", stream]]);
}
