import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DataFormError,
  DataFormStream,
  formsEqual,
  printDataForm,
  readDataFormStream,
  type DataForm,
  type DataInput,
  type StreamReadOptions,
} from "../../../lisp/data-forms/index.ts";
import { dataForms } from "./arbitrary-forms.ts";

const options: StreamReadOptions = {
  limits: { maxBytes: 4000, maxDepth: 20, maxNodes: 2000, maxStringCharacters: 2000 },
};

interface Reading {
  readonly forms: DataForm[];
  readonly error: { code: string; position: unknown } | undefined;
}

/** Everything a stream gives for the pieces: its forms in order, and the error that ended it. */
function readPieces(pieces: readonly DataInput[], reading = options): Reading {
  const stream = new DataFormStream(reading);
  const forms: DataForm[] = [];
  try {
    for (const piece of pieces) forms.push(...stream.push(piece));
    forms.push(...stream.end());
    forms.push(...stream.end());
    return { forms, error: undefined };
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    return { forms, error: { code: error.code, position: error.position } };
  }
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("splits", () => {
  it("gives the same forms when cut at every single byte", () => {
    const text = '; head (\n(:a "x\\"(;é😀" ;c)\n 1.5)12 "s"(())t\n:k ';
    const bytes = Buffer.from(text);
    const whole = readPieces([bytes]);
    expect(whole.forms).toHaveLength(6);
    expect(whole.error).toBeUndefined();
    for (let place = 0; place <= bytes.length; place++) {
      expect(readPieces([bytes.subarray(0, place), bytes.subarray(place)])).toEqual(whole);
    }
    for (let place = 0; place <= text.length; place++) {
      expect(readPieces([text.slice(0, place), text.slice(place)])).toEqual(whole);
    }
    expect(readPieces(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it("gives back any forms that were printed, however cut", () => {
    fc.assert(
      fc.property(
        fc.array(dataForms, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (forms, cuts) => {
          const bytes = Buffer.from(forms.map((form) => printDataForm(form)).join("\n"));
          const reading = readPieces(cut(bytes, cuts));
          expect(reading.error).toBeUndefined();
          expect(reading.forms).toHaveLength(forms.length);
          reading.forms.forEach((form, index) =>
            expect(formsEqual(form, forms[index] as DataForm)).toBe(true),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("gives the same forms and the same error for any text, however cut", () => {
    const small = { ...options, limits: { ...options.limits, maxBytes: 24, maxDepth: 3 } };
    const alphabet = Array.from("()()\"\\;#:'.ta10 \n");
    const bytes = fc
      .array(
        fc.oneof(
          fc.constantFrom(...alphabet, "é", "😀").map((text) => [...Buffer.from(text)]),
          fc.constant([0xff]),
        ),
        {
          maxLength: 60,
        },
      )
      .map((parts) => Buffer.from(parts.flat()));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 6 }), (text, cuts) => {
        const whole = readPieces([text], small);
        expect(readPieces(cut(text, cuts), small)).toEqual(whole);
        expect(
          readPieces(
            Array.from(text, (byte) => Buffer.from([byte])),
            small,
          ),
        ).toEqual(whole);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("ends and errors", () => {
  it("delivers the forms before an error and then the error, again and again", () => {
    const stream = new DataFormStream(options);
    expect(stream.push("1 (2) (foo) (3)")).toEqual([1, [2]]);
    expect(() => stream.push("(4)")).toThrow(expect.objectContaining({ code: "invalid-syntax" }));
    expect(() => stream.end()).toThrow(
      expect.objectContaining({ position: { offset: 7, line: 1, column: 8 } }),
    );
  });

  it.each(["(1 2", '"open', "(1 ; comment"])("refuses the end within %j", (text) => {
    expect(readPieces(["1\n", text])).toEqual({
      forms: [1],
      error: { code: "invalid-syntax", position: { offset: 2, line: 2, column: 1 } },
    });
  });

  it("accepts the end within a comment or right after an atom", () => {
    expect(readPieces(["12", "3 ; done"])).toEqual({ forms: [123], error: undefined });
    expect(readPieces(["12", "3"])).toEqual({ forms: [123], error: undefined });
    expect(readPieces([])).toEqual({ forms: [], error: undefined });
  });

  it("refuses half a surrogate pair, also at the very end", () => {
    expect(readPieces(['("\ud83d', '\ude00")']).forms).toEqual([["😀"]]);
    expect(readPieces(['"a\ud83d"']).error).toMatchObject({ code: "read-error", position: { offset: 2 } });
    expect(readPieces(["1 \ud83d"]).error).toMatchObject({ code: "read-error", position: { offset: 2 } });
  });

  it("keeps no more than one form within its limit", () => {
    const stream = new DataFormStream({ ...options, limits: { ...options.limits, maxBytes: 100 } });
    expect(stream.push(`"${"x".repeat(98)}"`)).toHaveLength(1);
    for (let piece = 0; piece < 9; piece++) stream.push("(".padEnd(10));
    expect(() => stream.push(" ".repeat(20))).toThrow(expect.objectContaining({ code: "data-too-large" }));
  });

  it("reads an async source", async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("(1) (");
      yield Buffer.from("2) 3 foo");
    }
    const forms: DataForm[] = [];
    const reading = (async () => {
      for await (const form of readDataFormStream(source(), options)) forms.push(form);
    })();
    await expect(reading).rejects.toMatchObject({ code: "invalid-syntax", position: { column: 11 } });
    expect(forms).toEqual([[1], [2], 3]);
  });
});
