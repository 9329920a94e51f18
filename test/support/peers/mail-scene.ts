/** A session's mail over a journal in a directory of the test, which can be killed and opened again. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "../../../orchestrator/peers/endpoint.ts";
import { executionIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { PeerService, type PeerServiceParts } from "../../../orchestrator/peers/peer-service.ts";
import type { PeerTransport } from "../../../orchestrator/peers/peer-transport.ts";

export type MailScene = {
  readonly service: PeerService;
  readonly open: Set<string>;
  readonly reports: readonly unknown[];
  /** Ends it without any goodbye, as kill -9 does, and opens it again; `torn` leaves a half-written record behind. */
  crash(torn?: string): Promise<void>;
  close(): Promise<void>;
};

export async function mailScene(
  directory: string,
  session: string,
  transport: PeerTransport,
  options: Partial<PeerServiceParts> = {},
): Promise<MailScene> {
  const open = new Set<string>();
  const reports: unknown[] = [];
  const journalPath = join(directory, `${session}.peers.sexp`);
  let clock = 0;
  const parts: PeerServiceParts = {
    session,
    journalPath,
    transport,
    isOpen: ({ child }) => child === undefined || open.has(child.execution),
    handedOver: new Set(),
    report: (error) => reports.push(error),
    now: () => (clock += 1),
    ...options,
  };
  let service = await PeerService.open(parts);
  return {
    get service() {
      return service;
    },
    open,
    reports,
    crash: async (torn) => {
      // The file descriptor is given back, but nothing more is written: all that was acknowledged is in the file.
      await service.close();
      if (torn !== undefined) appendFileSync(journalPath, torn);
      service = await PeerService.open(parts);
    },
    close: () => service.close(),
  };
}

/** A child's endpoint, numbered. */
export function childEndpoint(session: string, number: number): Endpoint {
  const execution = executionIdSchema.parse(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`);
  return { session, child: { job: `child-${number}`, execution } };
}
