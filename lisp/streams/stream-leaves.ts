import { BASE_CHAR_LIMIT } from "../typing/type-leaves.ts";
import { arrayToList } from "../data/cons.ts";
import { simpleError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LStream } from "../data/stream.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { objectSystem } from "../objects/object-system.ts";
import {
  BroadcastStream,
  ConcatenatedStream,
  EchoStream,
  SynonymStream,
  TwoWayStream,
} from "./composite-streams.ts";
import { boundOf } from "./character-leaves.ts";
import { FileStream } from "./file-stream.ts";
import { NativeStream } from "./native-stream.ts";
import { asStream, guarded, ofClass, StreamAccess } from "./stream-access.ts";
import { FillPointerOutputStream, StringInputStream, StringOutputStream } from "./string-streams.ts";

function requireInput(stream: NativeStream): NativeStream {
  if (!stream.input) throw typeError(stream, "(SATISFIES INPUT-STREAM-P)");
  return stream;
}

function requireOutput(stream: NativeStream): NativeStream {
  if (!stream.output) throw typeError(stream, "(SATISFIES OUTPUT-STREAM-P)");
  return stream;
}

function installComposites(define: DefineLeaf): void {
  define(
    "SYS:%MAKE-TWO-WAY-STREAM",
    "input-stream output-stream",
    (input: LispValue, output: LispValue) =>
      new TwoWayStream(requireInput(asStream(input)), requireOutput(asStream(output))),
  );
  define(
    "SYS:%TWO-WAY-STREAM-INPUT-STREAM",
    "two-way-stream",
    (stream: LispValue) => ofClass(stream, TwoWayStream, "TWO-WAY-STREAM").source,
  );
  define(
    "SYS:%TWO-WAY-STREAM-OUTPUT-STREAM",
    "two-way-stream",
    (stream: LispValue) => ofClass(stream, TwoWayStream, "TWO-WAY-STREAM").sink,
  );
  define(
    "SYS:%MAKE-ECHO-STREAM",
    "input-stream output-stream",
    (input: LispValue, output: LispValue) =>
      new EchoStream(requireInput(asStream(input)), requireOutput(asStream(output))),
  );
  define(
    "SYS:%ECHO-STREAM-INPUT-STREAM",
    "echo-stream",
    (stream: LispValue) => ofClass(stream, EchoStream, "ECHO-STREAM").source,
  );
  define(
    "SYS:%ECHO-STREAM-OUTPUT-STREAM",
    "echo-stream",
    (stream: LispValue) => ofClass(stream, EchoStream, "ECHO-STREAM").sink,
  );
  define(
    "SYS:%MAKE-BROADCAST-STREAM",
    "&rest streams",
    (...streams: LispValue[]) => new BroadcastStream(streams.map((each) => requireOutput(asStream(each)))),
  );
  define("SYS:%BROADCAST-STREAM-STREAMS", "broadcast-stream", (stream: LispValue) =>
    arrayToList(ofClass(stream, BroadcastStream, "BROADCAST-STREAM").parts),
  );
  define(
    "SYS:%MAKE-CONCATENATED-STREAM",
    "&rest streams",
    (...streams: LispValue[]) => new ConcatenatedStream(streams.map((each) => requireInput(asStream(each)))),
  );
  define("SYS:%CONCATENATED-STREAM-STREAMS", "concatenated-stream", (stream: LispValue) =>
    arrayToList(ofClass(stream, ConcatenatedStream, "CONCATENATED-STREAM").parts),
  );
  define("MAKE-SYNONYM-STREAM", "symbol", (symbol: LispValue) => {
    if (!(symbol instanceof LSymbol)) throw typeError(symbol, "SYMBOL");
    return new SynonymStream(symbol, () => asStream(symbol.value));
  });
  define(
    "SYNONYM-STREAM-SYMBOL",
    "synonym-stream",
    (stream: LispValue) => ofClass(stream, SynonymStream, "SYNONYM-STREAM").symbol,
  );
}

/** Appends to a string with a fill pointer, growing it when it may grow. */
function appendTo(string: LString, text: string): void {
  for (const part of text) {
    const at = string.fillPointer;
    if (at >= string.total) {
      if (!string.adjustable) {
        throw simpleError("SIMPLE-ERROR", "The string ~S is full and cannot be adjusted.", string);
      }
      string.resize(at + 1 + at);
    }
    string.fillPointer = at + 1;
    string.setCode(at, part.codePointAt(0) ?? 0);
  }
}

/** True when every character is a BASE-CHAR. */
function isBaseText(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= BASE_CHAR_LIMIT) return false;
  return true;
}

function installStrings(define: DefineLeaf, host: LeafHost): void {
  define(
    "MAKE-STRING-INPUT-STREAM",
    "string &optional (start 0) end",
    (string: LispValue, start?: LispValue, end?: LispValue) => {
      if (!(string instanceof LString)) throw typeError(string, "STRING");
      const to = boundOf(end, string.length, string.length);
      const from = boundOf(start, 0, to);
      return new StringInputStream(string.slice(from, to), from);
    },
  );
  define("SYS:%MAKE-STRING-OUTPUT-STREAM", "&optional kind", (kind?: LispValue) => {
    const stream = new StringOutputStream();
    if (kind === NIL) stream.kind = "nil";
    else if (kind === host.symbol("BASE-CHAR")) stream.kind = "base-char";
    return stream;
  });
  define(
    "SYS:%MAKE-BOUNDED-STRING-STREAM",
    "limit",
    (limit: LispValue) => new StringOutputStream(0, limit as number),
    {
      doc: "A string stream that holds so many characters; writing more is an error that keeps the first ones.",
    },
  );
  define(
    "SYS:%MAKE-STRING-OUTPUT-STREAM-AT",
    "column",
    (column: LispValue) => new StringOutputStream(typeof column === "number" ? column : 0),
  );
  define("GET-OUTPUT-STREAM-STRING", "string-output-stream", (stream: LispValue) => {
    const from = ofClass(stream, StringOutputStream, "AUTOLITH-SYSTEM::STRING-OUTPUT-STREAM");
    const taken = from.takeText();
    const string = LString.from(taken);
    string.base = from.kind === "base-char" && isBaseText(taken);
    string.barren = from.kind === "nil" && string.length === 0;
    return string;
  });
  define("SYS:%MAKE-FILL-POINTER-STREAM", "string", (string: LispValue) => {
    if (!(string instanceof LString) || string.fillPointer < 0) {
      throw typeError(string, "(AND STRING (SATISFIES ARRAY-HAS-FILL-POINTER-P))");
    }
    return new FillPointerOutputStream({
      append: (text) => appendTo(string, text),
      content: () => string.toJS(),
    });
  });
}

function installQueries(define: DefineLeaf, host: LeafHost): void {
  define("SYS:%NATIVE-STREAM-P", "object", (object: LispValue) => bool(object instanceof LStream), {
    total: true,
  });
  define("SYS:%INPUT-STREAM-P", "stream", (stream: LispValue) => bool(guarded(() => asStream(stream).input)));
  define("SYS:%OUTPUT-STREAM-P", "stream", (stream: LispValue) =>
    bool(guarded(() => asStream(stream).output)),
  );
  define("SYS:%INTERACTIVE-STREAM-P", "stream", (stream: LispValue) =>
    bool(guarded(() => asStream(stream).isInteractive())),
  );
  define("SYS:%OPEN-STREAM-P", "stream", (stream: LispValue) => bool(asStream(stream).open));
  define("SYS:CHARACTER-STREAM-P", "object", (object: LispValue) =>
    bool(object instanceof NativeStream && object.isCharacter()),
  );
  define("SYS:BINARY-STREAM-P", "object", (object: LispValue) =>
    bool(object instanceof NativeStream && object.isBinary()),
  );
  define("SYS:%CLOSE", "stream abort", (stream: LispValue, abort: LispValue) => {
    const found = asStream(stream);
    const wasOpen = found.open;
    guarded(() => found.close(abort !== NIL));
    return bool(wasOpen);
  });
  define("SYS:%STREAM-ELEMENT-TYPE", "stream", (stream: LispValue) => {
    let found = asStream(stream);
    while (found instanceof SynonymStream) found = found.target();
    if (found instanceof FileStream) return found.options.elementType as LispValue;
    if (found instanceof BroadcastStream && found.parts.length === 0) return T;
    const part = found instanceof TwoWayStream ? found.source : partOf(found);
    if (part instanceof FileStream) return part.options.elementType as LispValue;
    return host.symbol("CHARACTER");
  });
  define("SYS:%STREAM-EXTERNAL-FORMAT", "stream", (stream: LispValue) => {
    let found: NativeStream | undefined = asStream(stream);
    while (found instanceof SynonymStream) found = found.target();
    if (found instanceof BroadcastStream) found = found.parts.at(-1);
    return found instanceof FileStream
      ? (found.options.externalFormat as LispValue)
      : host.symbol(":DEFAULT");
  });
}

function partOf(stream: NativeStream): NativeStream | undefined {
  if (stream instanceof BroadcastStream) return stream.parts.at(-1);
  if (stream instanceof ConcatenatedStream) return stream.parts[0];
  return undefined;
}

function installPositions(define: DefineLeaf): void {
  define(
    "SYS:%FILE-POSITION",
    "stream",
    (stream: LispValue) => guarded(() => asStream(stream).position()) ?? NIL,
  );
  define("SYS:%SET-FILE-POSITION", "stream position", (stream: LispValue, position: LispValue) => {
    const found = asStream(stream);
    if (typeof position === "number" && position >= 0)
      return bool(guarded(() => found.setPosition(position)));
    const name = position instanceof LSymbol ? position.name : "";
    if (name !== "START" && name !== "END")
      throw typeError(position, "(OR (INTEGER 0 *) (MEMBER :START :END))");
    return bool(guarded(() => found.setPosition(name === "START" ? "start" : "end")));
  });
  define("SYS:%FILE-LENGTH", "stream", (stream: LispValue) => {
    let found: NativeStream | undefined = asStream(stream);
    while (found instanceof SynonymStream) found = found.target();
    if (found instanceof BroadcastStream && found.parts.length === 0) return 0;
    if (found instanceof BroadcastStream) found = found.parts.at(-1);
    if (!(found instanceof FileStream)) throw typeError(stream, "FILE-STREAM");
    const file = found;
    return guarded(() => file.length());
  });
  define("SYS:%FILE-STRING-LENGTH", "stream string", (stream: LispValue, object: LispValue) => {
    let found: NativeStream | undefined = asStream(stream);
    while (found instanceof SynonymStream) found = found.target();
    if (found instanceof BroadcastStream && found.parts.length === 0) return 1;
    if (found instanceof BroadcastStream) found = found.parts.at(-1);
    if (!(found instanceof FileStream)) return NIL;
    return found.textSize(
      object instanceof LString ? object.toJS() : String.fromCodePoint((object as { code: number }).code),
    );
  });
}

function installBytes(define: DefineLeaf, access: StreamAccess): void {
  define("SYS:%READ-BYTE", "stream", (stream: LispValue) => {
    const found = asStream(stream);
    return guarded(() => found.readElement()) ?? NIL;
  });
  define("SYS:%WRITE-BYTE", "byte stream", (byte: LispValue, stream: LispValue) => {
    if (typeof byte !== "number" && typeof byte !== "bigint") throw typeError(byte, "INTEGER");
    const found = asStream(stream);
    guarded(() => found.writeElement(byte));
    return byte;
  });
  define(
    "SYS:%READ-INTO-STRING",
    "string stream start end",
    (string: LispValue, stream: LispValue, start: LispValue, end: LispValue) => {
      const found = access.input(stream);
      const target = string as LString;
      let at = start as number;
      guarded(() => {
        while (at < (end as number)) {
          const code = found.readCode();
          if (code < 0) break;
          target.setCode(at++, code);
        }
      });
      return at;
    },
  );
}

/** Making streams, asking about them, and the operations that are not on characters. */
export const installStreams: LeafInstaller = (define, host) => {
  const access = new StreamAccess(host);
  installComposites(define);
  installStrings(define, host);
  installQueries(define, host);
  installPositions(define);
  installBytes(define, access);
  const system = objectSystem(host);
  system.addExtension((value) => {
    if (!(value instanceof NativeStream)) return undefined;
    const standard =
      !value.lispClass.includes("STRING-") &&
      value.lispClass !== "FD-STREAM" &&
      value.lispClass !== "PRETTY-STREAM" &&
      value.lispClass !== "FILL-POINTER-OUTPUT-STREAM";
    return system.standard(standard ? value.lispClass : `SYS:${value.lispClass}`);
  });
};
