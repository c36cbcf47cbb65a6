/** SMTP server with its login. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` encrypts from the first byte. `starttls` encrypts before login and mail, or fails. `none` never encrypts. */
  readonly security: "tls" | "starttls" | "none";
  readonly user?: string;
  readonly password?: string;
  /** Absolute path of a PEM file. Its certificates are trusted instead of the system's. */
  readonly ca?: string;
}

/** Mail in plain text. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Id of the event. The Message-ID is made from this id, so that every attempt has the same Message-ID. */
  readonly id: string;
  /**
   * Key shared by a thread's mails. Every mail of the thread refers to the same first mail. That mail does not exist;
   * its id is made from the key.
   */
  readonly thread?: string;
  readonly urgent: boolean;
}

/** Port for mail by SMTP. */
export interface MailPort {
  /**
   * Sends a mail; resolves when the server has accepted it.
   * @throws {DeliveryError} `auth` 530, 534, 535 · `rejected` other 5yz · `unavailable` 4yz, network · `timeout`
   */
  send(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void>;
  /** Connects to the server and logs in, without sending a mail. @throws {DeliveryError} like `send` */
  verify(server: MailServer, signal: AbortSignal): Promise<void>;
}
