import {
  BroadcastStream,
  ConcatenatedStream,
  EchoStream,
  TwoWayStream,
} from "../streams/composite-streams.ts";
import { StringInputStream, StringOutputStream } from "../streams/string-streams.ts";
import { fields } from "./fields.ts";
import type { RecordType } from "./record-type.ts";

const nothing = new StringInputStream("", 0);

/** Streams that need nothing of the machine: they come back with what they hold. Streams they rest on may come back closed. */
export const streamRecords: readonly RecordType[] = [
  {
    name: "string input streams",
    type: StringInputStream,
    fields: fields("open codes:inline at base"),
    blank: () => new StringInputStream("", 0),
  },
  {
    name: "string output streams",
    type: StringOutputStream,
    fields: fields("open text measured columnThere elementType"),
    blank: () => new StringOutputStream(),
  },
  {
    name: "two-way streams",
    type: TwoWayStream,
    fields: fields("open source sink"),
    blank: () => new TwoWayStream(nothing, nothing),
  },
  {
    name: "echo streams",
    type: EchoStream,
    fields: fields("open source sink unread"),
    blank: () => new EchoStream(nothing, nothing),
  },
  {
    name: "broadcast streams",
    type: BroadcastStream,
    fields: fields("open parts:inline written"),
    blank: () => new BroadcastStream([]),
  },
  {
    name: "concatenated streams",
    type: ConcatenatedStream,
    fields: fields("open parts:inline unread"),
    blank: () => new ConcatenatedStream([]),
  },
];
