import type { PeerTransport } from "./peer-transport.ts";

/** A transport that is still being opened: what is asked of it waits for it. */
export function laterTransport(opening: Promise<PeerTransport>): PeerTransport {
  // Whoever uses it hears of the failure; until then it must not count as unhandled.
  opening.catch(() => undefined);
  return {
    post: async (session, letter) => (await opening).post(session, letter),
    attend: async (session, take) => (await opening).attend(session, take),
    onReturn: (listener) => {
      let stop: (() => void) | undefined;
      let stopped = false;
      opening.then(
        (transport) => {
          if (!stopped) stop = transport.onReturn(listener);
        },
        () => undefined,
      );
      return () => {
        stopped = true;
        stop?.();
      };
    },
  };
}
