import * as fc from "fast-check";
import { expect, it } from "vitest";
import { EventDecoder } from "../../../workers/model/server-events.ts";

function eventsOf(...pieces: readonly Uint8Array[]) {
  const decoder = new EventDecoder();
  return [...pieces.flatMap((piece) => decoder.take(piece)), ...decoder.end()];
}

it.each([
  ["a name and data", "event: a\ndata: 1\n\n", [{ name: "a", data: "1" }]],
  [
    "no space behind the colon, and one that belongs to the data",
    "data:1\n\ndata:  2\n\n",
    [
      { name: "", data: "1" },
      { name: "", data: " 2" },
    ],
  ],
  ["data over several lines", "data: a\ndata: b\ndata\n\n", [{ name: "", data: "a\nb\n" }]],
  ["comments and other fields", ": alive\nid: 7\nretry: 1\ndata: 1\n\n", [{ name: "", data: "1" }]],
  ["no data", "event: ping\n\ndata: 1\n\n", [{ name: "", data: "1" }]],
  [
    "a last event without an empty line",
    "data: 1\n\ndata: 2",
    [
      { name: "", data: "1" },
      { name: "", data: "2" },
    ],
  ],
  ["nothing", "", []],
])("%s", (_case, text, events) => {
  expect(eventsOf(Buffer.from(text))).toEqual(events);
});

it("neither the ends of lines nor splits change anything", () => {
  const piece = fc.constantFrom("data: é", "data:😀", "data: x", "event: y", ": z", "", "");
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.constantFrom("\n", "\r", "\r\n"),
      fc.array(fc.nat(400), { maxLength: 8 }),
      (lines, end, places) => {
        const bytes = Buffer.from(lines.map((line) => line + end).join(""));
        const cuts = [...new Set(places.map((place) => Math.min(place, bytes.length)))].toSorted(
          (a, b) => a - b,
        );
        const split = [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
        const whole = eventsOf(Buffer.from(lines.map((line) => `${line}\n`).join("")));
        expect(eventsOf(...split)).toEqual(whole);
      },
    ),
  );
});
