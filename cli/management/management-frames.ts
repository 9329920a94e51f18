/**
 * Frames of the management REPL (manual): a four-byte unsigned big-endian length and so many UTF-8 bytes of one readable S-expression,
 * read as data: nothing is evaluated or interned.
 */
import { type DataForm, DataFormError, printDataForm, readDataForm } from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../../orchestrator/contract/failure.ts";

const headerBytes = 4;
/** Nesting and size of a request: two keywords and a string are all there is. */
const maxDepth = 16;
const maxNodes = 1_024;

/** A frame that breaks the protocol: the connection ends. */
export class ManagementFrameError extends AutolithError {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super("management-frame", message, options);
  }
}

/** The frame of a form. Throws {@link ManagementFrameError} when it is over the bound. */
export function encodeFrame(form: DataForm, maxFrameBytes: number): Buffer {
  const body = Buffer.from(printDataForm(form), "utf8");
  if (body.length > maxFrameBytes)
    throw new ManagementFrameError(`a frame has ${body.length} bytes; at most ${maxFrameBytes} may be sent`);
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headerBytes);
  return frame;
}

/**
 * The forms of a byte stream, in order. Throws {@link ManagementFrameError} at a length of zero or over the bound, at bytes that are not
 * UTF-8, malformed syntax, a form behind the first, and when the stream ends inside a frame. At most one frame and one chunk are held.
 */
export async function* readFrames(
  bytes: AsyncIterable<Uint8Array>,
  maxFrameBytes: number,
): AsyncGenerator<DataForm> {
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
    for (let length = bodyLength(held, maxFrameBytes); length !== undefined;) {
      if (held.length < headerBytes + length) break;
      yield formOf(held.subarray(headerBytes, headerBytes + length), maxFrameBytes);
      held = held.subarray(headerBytes + length);
      length = bodyLength(held, maxFrameBytes);
    }
  }
  if (held.length > 0)
    throw new ManagementFrameError(`the connection ended inside a frame, after ${held.length} bytes of it`);
}

/** Undefined until the header is whole. */
function bodyLength(held: Buffer, maxFrameBytes: number): number | undefined {
  if (held.length < headerBytes) return undefined;
  const length = held.readUInt32BE(0);
  if (length === 0) throw new ManagementFrameError("a frame is empty; it holds one form");
  if (length > maxFrameBytes)
    throw new ManagementFrameError(
      `a frame of ${length} bytes was announced; at most ${maxFrameBytes} may be sent`,
    );
  return length;
}

function formOf(body: Buffer, maxFrameBytes: number): DataForm {
  try {
    return readDataForm(body, {
      limits: { maxBytes: maxFrameBytes, maxDepth, maxNodes, maxStringCharacters: maxFrameBytes },
    });
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    throw new ManagementFrameError(`a frame holds no readable form: ${error.message}`, { cause: error });
  }
}
