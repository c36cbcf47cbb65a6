import { createPrivateKey, KeyObject, X509Certificate as NodeCertificate, webcrypto } from "node:crypto";
import { isIP } from "node:net";
// Must be imported first: https://github.com/PeculiarVentures/x509#-reflect-polyfill-required
import "reflect-metadata/lite";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  type X509CertificateCreateWithKeyParams,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { dayMs } from "../../text/time.ts";

/** A certificate and its private key, PEM. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

const validMs = 3_650 * dayMs;
/** Time by which certificates are backdated, milliseconds: one day, for machines whose clocks are slow. */
const clockSkewMs = dayMs;
const ecdsa = { name: "ECDSA", namedCurve: "P-256" };
cryptoProvider.set(webcrypto);

/** Creates a certificate authority for one server or cluster, valid for ten years. */
export async function newAuthority(nowMs: number): Promise<Certified> {
  const { publicKey, privateKey } = await newPair();
  const name = buildName("beckon relay");
  const extensions = [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
  return certify({ subject: name, issuer: name, publicKey, signingKey: privateKey, extensions }, privateKey, nowMs);
}

/** Creates a server certificate for names and addresses, signed by the authority. It expires with the authority. */
export async function newServerCertificate(
  authority: Certified,
  names: readonly string[],
  nowMs: number,
): Promise<Certified> {
  const { publicKey, privateKey } = await newPair();
  const issuer = new X509Certificate(authority.certificate);
  const general = names.map((value) => ({ type: isIP(value) ? ("ip" as const) : ("dns" as const), value }));
  const keyId = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId ?? "";
  const extensions = [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    // Servers of a cluster also connect to each other as clients.
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension(general),
    new AuthorityKeyIdentifierExtension(keyId),
  ];
  const key = createPrivateKey(authority.key).export({ type: "pkcs8", format: "der" });
  const signingKey = await webcrypto.subtle.importKey("pkcs8", key, ecdsa, false, ["sign"]);
  const subject = buildName(names[0] ?? "");
  return certify({ subject, issuer: issuer.subjectName, publicKey, signingKey, extensions }, privateKey, nowMs);
}

/** Tells if a certificate has exactly these names. */
export function matchesNames(certificate: string, names: readonly string[]): boolean {
  const { subjectAltName = "" } = new NodeCertificate(certificate);
  const found = subjectAltName.split(", ").map((entry) => entry.replace(/^(DNS|IP Address):/, ""));
  return found.length === names.length && names.every((name) => found.includes(name));
}

async function certify(request: X509CertificateCreateWithKeyParams, key: webcrypto.CryptoKey, nowMs: number) {
  const validity = { notBefore: new Date(nowMs - clockSkewMs), notAfter: new Date(nowMs + validMs) };
  const certificate = await X509CertificateGenerator.create({ ...request, ...validity });
  return {
    certificate: `${certificate.toString("pem")}\n`,
    key: KeyObject.from(key).export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function newPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ecdsa, true, ["sign", "verify"]);
}

function buildName(value: string) {
  return [{ CN: [value.slice(0, 64)] }];
}
