/** A file by its descriptor: opened and first written at once, which for a new small file takes less than being told by the system's pool. */
import {
  closeSync,
  constants,
  fdatasync,
  ftruncate,
  openSync,
  read,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import type { CommitHandle } from "./group-commit.ts";

const [readAt, writeAt, sync, truncate] = [
  promisify(read),
  promisify(write),
  promisify(fdatasync),
  promisify(ftruncate),
];

export class DescriptorFile implements CommitHandle {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }> {
    return readAt(this.fd, bytes, offset, length, position);
  }

  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }> {
    return writeAt(this.fd, bytes, offset, length, position);
  }

  datasync(): Promise<void> {
    return sync(this.fd);
  }

  truncate(length: number): Promise<void> {
    return truncate(this.fd, length);
  }

  /** Nothing is left to be written by then, so it does not wait. */
  async close(): Promise<void> {
    await Promise.resolve();
    closeSync(this.fd);
  }
}

/** Creates a file (mode 0600) that holds `bytes`, open for reading and writing. Throws the system's error, `EEXIST` when it is there. */
export function createFileNow(path: string, bytes: Uint8Array): DescriptorFile {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, done);
    return new DescriptorFile(fd);
  } catch (error) {
    closeSync(fd);
    unlinkSync(path);
    throw error;
  }
}
