import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Cons } from "../../../lisp/data/cons.ts";
import { NIL } from "../../../lisp/data/symbol.ts";
import { Reader } from "../../../lisp/reader/reader.ts";
import { type CharacterSource, TextSource } from "../../../lisp/reader/source.ts";
import { LeafSession } from "../support/leaf-session.ts";
import { show } from "../support/show.ts";

const session = new LeafSession();

/** Text, and what it reads as. */
const READS: readonly (readonly [string, string])[] = [
  ["(a b . c)", "(A B . C)"],
  ["#(1 2 3) #4(1 2) #() #0()", "#(1 2 3) #(1 2 2 2) #() #()"],
  ["'x #'f", "(QUOTE X) (FUNCTION F)"],
  ["`(a ,b ,@c ,.d)", "(QUASIQUOTE (A (UNQUOTE B) (UNQUOTE-SPLICING C) (UNQUOTE-SPLICING D)))"],
  ['"a\\"b\\\\c"', '"a\\"b\\\\c"'],
  ["#\\a #\\Space #\\( #\\x #\\U+41 #\\newline", "#\\a #\\  #\\( #\\x #\\A #\\\n"],
  ["|a B|c \\a a|b\\|c|d ||", "a BC a Ab|cD "],
  [":key ::key #:foo #:|x y| cl-user::foo", ":KEY :KEY #:FOO #:x y FOO"],
  ["1/2 -4/6 2/2 +5 -5. 007", "1/2 -2/3 1 5 -5 7"],
  ["1.5 .5 1e3 1d3 1.f0 1s0 -0.0 1.5e-2 1l0", "1.5 0.5 1000.0 1000.0d0 1.0 1.0 -0.0 0.015 1.0d0"],
  ["+ - 1+ 1- +. 1e .e5 a.b 1/2/3 1a", "+ - 1+ 1- +. 1E .E5 A.B 1/2/3 1A"],
  ["#xFF #b-101 #o17 #36rZZ #3R12", "255 -5 15 1295 5"],
  ["#c(1 2) #C(1 2.0) #C(1 0)", "#C(1 2) #C(1.0 2.0) 1"],
  ["#*1011 #8*01 #* #0*", "#*1011 #*01111111 #* #*"],
  ["#2A((1 2) (3 4)) #0A5 #2A() #1A(1 2)", "#2A[2x2](1 2 3 4) #0A[](5) #2A[0x0]() #(1 2)"],
  ["#+foo a b", "B"],
  ["#-foo a b", "A B"],
  ["#+(and) x #-(or) y #+(not foo) z #+#+foo a (or) b c", "X Y Z C"],
  ["#+foo (#.(boom) nopkg:sym 1/0 #s() . ,x) b", "B"],
  ["; c\n a #| x #| y |# z |# b", "A B"],
  ["(a #|c|# b ;d\n)", "(A B)"],
  ["(1 #1=(2) #1#)", "(1 (2) (2))"],
  ["12345678901234567890 #xFFFFFFFFFFFFFFFFFFFF", "12345678901234567890 1208925819614629174706175"],
];

const ERRORS: readonly (readonly [string, string])[] = [
  ["(a", "<END-OF-FILE>"],
  ['"abc', "<END-OF-FILE>"],
  ["#| a", "<END-OF-FILE>"],
  ["'", "<END-OF-FILE>"],
  ["#", "<END-OF-FILE>"],
  ["|abc", "<END-OF-FILE>"],
  [")", "<READER-ERROR>"],
  ["(a . )", "<READER-ERROR>"],
  ["(. a)", "<READER-ERROR>"],
  ["(a . b c)", "<READER-ERROR>"],
  ["#(a . b)", "<READER-ERROR>"],
  [".", "<READER-ERROR>"],
  ["...", "<READER-ERROR>"],
  ["1/0", "<READER-ERROR>"],
  ["1e400", "<READER-ERROR>"],
  ["1d-1000", "<READER-ERROR>"],
  ["nopkg:x", "<READER-ERROR>"],
  ["cl:not-there", "<READER-ERROR>"],
  ["a:b:c", "<READER-ERROR>"],
  ["a:", "<READER-ERROR>"],
  [",a", "<READER-ERROR>"],
  ["`(a ,,b)", "<READER-ERROR>"],
  ["#<foo>", "<READER-ERROR>"],
  ["#\\nosuchname", "<READER-ERROR>"],
  ["#1=#1#", "<READER-ERROR>"],
  ["#1#", "<READER-ERROR>"],
  ["#2(1 2 3)", "<READER-ERROR>"],
  ["#2*111", "<READER-ERROR>"],
  ["#*12", "<READER-ERROR>"],
  ["#b12", "<READER-ERROR>"],
  ["#C(1 a)", "<READER-ERROR>"],
  ["#:1", "<READER-ERROR>"],
  ["a\u007fb", "<READER-ERROR>"],
];

/** Gives its characters one at a time and says between them that none is there yet. */
class SlowSource implements CharacterSource {
  private at = 0;
  private ready = false;
  private readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  readCode(): number {
    if (!this.ready) {
      this.ready = true;
      return -2;
    }
    if (this.at >= this.text.length) return -1;
    this.ready = false;
    return this.text.charCodeAt(this.at++);
  }
  unreadCode(): void {
    this.at--;
    this.ready = true;
  }
}

/** Gives its text in windows of a few characters, as a file does with its buffer. */
class WindowSource implements CharacterSource {
  private at = 0;
  private readonly text: string;
  private readonly width: number;
  constructor(text: string, width: number) {
    this.text = text;
    this.width = width;
  }
  readCode(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at++) : -1;
  }
  unreadCode(): void {
    this.at--;
  }
  window(): { text: string; at: number } | undefined {
    const end = (Math.floor(this.at / this.width) + 1) * this.width;
    return this.at < this.text.length ? { text: this.text.slice(0, end), at: this.at } : undefined;
  }
  skipTo(at: number): void {
    this.at = at;
  }
}

function readSlowly(text: string, source: CharacterSource = new SlowSource(text)): string {
  const shown: string[] = [];
  for (;;) {
    const reader = new Reader(session.context, source, NIL);
    let outcome = reader.run();
    while (outcome === "wait") outcome = reader.run();
    if (outcome !== "done") return shown.join(" ");
    shown.push(show(reader.value));
  }
}

describe("reader", () => {
  it.each(READS)("reads %s", (text, expected) => {
    expect(session.readText(text)).toBe(expected);
  });

  it.each(ERRORS)("refuses %s", (text, expected) => {
    expect(session.readText(text)).toBe(expected);
  });

  it.each(READS)("reads %s the same from a stream that makes it wait", (text, expected) => {
    expect(readSlowly(text)).toBe(expected);
  });

  it.each(READS)("reads %s the same through windows of any width", (text, expected) => {
    for (let width = 1; width <= text.length; width++) {
      expect(readSlowly(text, new WindowSource(text, width))).toBe(expected);
    }
  });

  it("goes on behind what it could not read", () => {
    const source = new TextSource("1/0 a ) b");
    const shown: string[] = [];
    for (let i = 0; i < 4; i++) {
      const reader = new Reader(session.context, source, NIL);
      try {
        reader.run();
        shown.push(show(reader.value));
      } catch {
        shown.push("wrong");
      }
    }
    expect(shown).toEqual(["wrong", "A", "wrong", "B"]);
  });

  it("patches labels inside their own object", () => {
    const [value] = session.read("#1=(a #2=(b . #1#) #2#)") as [Cons];
    const second = (value.cdr as Cons).car as Cons;
    expect(second.cdr).toBe(value);
    expect(((value.cdr as Cons).cdr as Cons).car).toBe(second);
  });

  it("nests a hundred thousand deep", () => {
    const depth = 100_000;
    let [value] = session.read("(".repeat(depth) + ")".repeat(depth));
    let levels = 1;
    while (value instanceof Cons) {
      value = value.car;
      levels++;
    }
    expect(levels).toBe(depth);
  });

  it("never fails otherwise than by a Lisp error, whatever the text", () => {
    const piece = fc.constantFrom(
      ...[
        "(",
        ")",
        "'",
        "`",
        ",",
        ",@",
        "#",
        "#(",
        "#'",
        "#\\",
        "#|",
        "|#",
        '"',
        "|",
        "\\",
        ";",
        "\n",
        " ",
        ".",
        ":",
        "a",
        "B",
        "1",
      ],
      ...[
        "#+",
        "#-",
        "#1=",
        "#1#",
        "#*",
        "#x",
        "#2a",
        "#c",
        "#:",
        "#s",
        "#p",
        "1e9",
        "/",
        "-",
        "nil",
        "é",
        "\u{1f600}",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const outcome = ((): string => {
          try {
            return session.readText(pieces.join(""));
          } catch (error) {
            return (error as Error).message;
          }
        })();
        return (
          !/undefined|not a function|Cannot read/.test(outcome) ||
          outcome.startsWith("the reader asked for call")
        );
      }),
      { numRuns: 3000 },
    );
  });
});
