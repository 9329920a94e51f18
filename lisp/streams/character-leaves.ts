import { Char, char } from "../data/character.ts";
import { typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { Readtable, WHITESPACE } from "../reader/readtable.ts";
import { SynonymStream } from "./composite-streams.ts";
import { endOfFile, guarded, isLispStream, StreamAccess } from "./stream-access.ts";
import { NativeStream, noInputYet } from "./native-stream.ts";

/** Value of a leaf that found no input yet on a terminal: the Lisp side waits and asks again. */
const waitKeyword = ":WAIT";

function asString(value: LispValue): LString {
  if (value instanceof LString) return value;
  throw typeError(value, "STRING");
}

function asCharacter(value: LispValue): Char {
  if (value instanceof Char) return value;
  throw typeError(value, "CHARACTER");
}

/** A bound of a sequence: an index not above `limit`; NIL and undefined mean `otherwise`. */
export function boundOf(value: LispValue | undefined, otherwise: number, limit: number): number {
  if (value === undefined || value === NIL) return otherwise;
  if (typeof value === "number" && value >= 0 && value <= limit) return value;
  throw typeError(value, `(INTEGER 0 ${limit})`);
}

function textBetween(string: LString, start: LispValue | undefined, end: LispValue | undefined): string {
  if ((start === undefined || start === NIL) && (end === undefined || end === NIL)) return string.toJS();
  const to = boundOf(end, string.length, string.length);
  return string.slice(boundOf(start, 0, to), to);
}

function installInput(define: DefineLeaf, host: LeafHost, access: StreamAccess): void {
  const wait = host.symbol(waitKeyword);
  const readtable = host.symbol("*READTABLE*");
  const standard = Readtable.standard();
  /** Whitespace to the reader: a user may have given a character another syntax in the current readtable. */
  const isWhitespace = (code: number): boolean => {
    const table = readtable.value;
    return (table instanceof Readtable ? table : standard).syntax(code) === WHITESPACE;
  };
  const atEnd = (
    stream: NativeStream,
    errorp: LispValue | undefined,
    value: LispValue | undefined,
  ): LispValue => {
    if (errorp === undefined || errorp !== NIL) throw endOfFile(stream);
    return value ?? NIL;
  };
  define(
    "SYS:%READ-CHAR",
    "&optional stream (eof-error-p t) eof-value",
    (designator?: LispValue, errorp?: LispValue, value?: LispValue) => {
      const stream = access.input(designator);
      const code = guarded(() => stream.readCode());
      if (code >= 0) return char(code);
      return code === noInputYet ? wait : atEnd(stream, errorp, value);
    },
  );
  define("SYS:%UNREAD-CHAR", "character &optional stream", (character: LispValue, designator?: LispValue) => {
    const stream = access.input(designator);
    guarded(() => stream.unreadCode(asCharacter(character).code));
    return NIL;
  });
  define("SYS:%WHITESPACE-P", "character", (character: LispValue) =>
    bool(isWhitespace(asCharacter(character).code)),
  );
  define(
    "SYS:%PEEK-CHAR",
    "type stream eof-error-p eof-value",
    (type: LispValue, designator: LispValue, errorp: LispValue, value: LispValue) => {
      if (type !== NIL && type !== T) asCharacter(type);
      const stream = access.input(designator);
      return guarded(() => {
        for (;;) {
          const code = stream.peekCode();
          if (code < 0) return code === noInputYet ? wait : atEnd(stream, errorp, value);
          const skip = type === T ? isWhitespace(code) : type instanceof Char && type.code !== code;
          if (!skip) return char(code);
          stream.readCode();
        }
      });
    },
  );
  define(
    "SYS:%READ-LINE",
    "&optional stream (eof-error-p t) eof-value",
    (designator?: LispValue, errorp?: LispValue, value?: LispValue) => {
      const stream = access.input(designator);
      const line = guarded(() => stream.readLine());
      if (line === undefined) return wait;
      if (line.ended && line.text === "") return host.values(atEnd(stream, errorp, value), T);
      return host.values(LString.from(line.text), bool(line.ended));
    },
    { values: true },
  );
  define("SYS:%LISTEN", "stream", (designator: LispValue) => {
    const stream = access.input(designator);
    return bool(guarded(() => stream.input && stream.listen()));
  });
  define("SYS:%CLEAR-INPUT", "stream", (designator: LispValue) => {
    const stream = access.input(designator);
    guarded(() => stream.clearInput());
    return NIL;
  });
  define("SYS:%NATIVE-INPUT-P", "stream", (designator: LispValue) =>
    bool(!isLispStream(access.inputObject(designator))),
  );
  define("SYS:%INPUT-OBJECT", "stream", (designator: LispValue) => access.inputObject(designator));
}

function installOutput(define: DefineLeaf, access: StreamAccess): void {
  define("SYS:%WRITE-CHAR", "character stream", (character: LispValue, designator: LispValue) => {
    const stream = access.output(designator);
    const { code } = asCharacter(character);
    guarded(() => stream.writeCode(code));
    return character;
  });
  define("SYS:%PUT-STRING", "string stream", (string: LispValue, stream: LispValue) => {
    if (!(stream instanceof NativeStream) || stream instanceof SynonymStream) return NIL;
    if (!(string instanceof LString)) return NIL;
    const text = string.toJS();
    guarded(() => stream.writeText(text));
    return T;
  });
  define(
    "SYS:%WRITE-STRING",
    "string stream start end",
    (string: LispValue, designator: LispValue, start: LispValue, end: LispValue) => {
      const stream = access.output(designator);
      const text = textBetween(asString(string), start, end);
      guarded(() => stream.writeText(text));
      return string;
    },
  );
  define(
    "SYS:%WRITE-LINE",
    "string stream start end",
    (string: LispValue, designator: LispValue, start: LispValue, end: LispValue) => {
      const stream = access.output(designator);
      const text = textBetween(asString(string), start, end);
      guarded(() => stream.writeText(`${text}\n`));
      return string;
    },
  );
  define("SYS:%TERPRI", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    guarded(() => stream.writeCode(10));
    return NIL;
  });
  define("SYS:%FRESH-LINE", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    return bool(guarded(() => stream.freshLine()));
  });
  define("SYS:%FINISH-OUTPUT", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    guarded(() => stream.finishOutput());
    return NIL;
  });
  define("SYS:%CLEAR-OUTPUT", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    guarded(() => stream.clearOutput());
    return NIL;
  });
  define("SYS:%STREAM-COLUMN", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    return guarded(() => stream.column()) ?? NIL;
  });
  define("SYS:%STREAM-LINE-LENGTH", "stream", (designator: LispValue) => {
    const stream = access.output(designator);
    return guarded(() => stream.lineLength()) ?? NIL;
  });
  define("SYS:%WRITE-SPACES", "count stream", (count: LispValue, designator: LispValue) => {
    const stream = access.output(designator);
    if (typeof count === "number" && count > 0) guarded(() => stream.writeText(" ".repeat(count)));
    return NIL;
  });
  define("SYS:%NATIVE-OUTPUT-P", "stream", (designator: LispValue) =>
    bool(!isLispStream(access.outputObject(designator))),
  );
  define("SYS:%OUTPUT-OBJECT", "stream", (designator: LispValue) => access.outputObject(designator));
}

/** Character input and output on native streams. */
export const installCharacterStreams: LeafInstaller = (define, host) => {
  const access = new StreamAccess(host);
  installInput(define, host, access);
  installOutput(define, access);
};
