/** Somebody who is told when the tools of a profile may have changed. */
export interface ListeningClient {
  toolsChanged(): void;
}
