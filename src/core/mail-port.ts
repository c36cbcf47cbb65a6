export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `starttls`: nothing is said before the connection is encrypted. */
  readonly security: "tls" | "starttls" | "none";
  readonly user?: string;
  readonly password?: string;
  /** Absolute path of certificates (PEM) to trust instead of the system's. */
  readonly caFile?: string;
}

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The event's; becomes the Message-ID, the same for every attempt. */
  readonly id: string;
  /** The same for all mails that belong together; they refer to it. */
  readonly thread?: string;
  readonly urgent: boolean;
}

export interface MailPort {
  /**
   * Hands a mail to an SMTP server; resolves when the server has taken it.
   * @throws {DeliveryError} `auth` 530, 534, 535 · `rejected` other 5yz · `unavailable` 4yz, network · `timeout`
   */
  send(server: MailServer, mail: Mail, signal: AbortSignal): Promise<void>;
  /** Connects and logs in, and sends nothing. @throws {DeliveryError} as `send` */
  verify(server: MailServer, signal: AbortSignal): Promise<void>;
}
