import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { dayMs } from "../../text/time.ts";

/** A certificate and its private key, PEM. */
export interface Certified {
  readonly certificate: string;
  readonly key: string;
}

const validMs = 3_650 * dayMs;
/** Backdating of certificates by a day: they must be valid on machines with a slow clock. */
const beforeMs = dayMs;
const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const commonName = "2.5.4.3";

/** Makes an authority for one server or cluster, valid for ten years. */
export function newAuthority(nowMs: number): Certified {
  const pair = newPair();
  const name = nameOf("beckon relay");
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign)),
    extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(pair.publicKey)), false),
  ];
  return certify(
    { name, issuer: name, publicKey: pair.publicKey, extensions, nowMs },
    pair.privateKey,
    pair.privateKey,
  );
}

/** Makes a server certificate for these names and addresses, valid as long as its authority. */
export function newServerCertificate(authority: Certified, names: readonly string[], nowMs: number): Certified {
  const pair = newPair();
  const issuer = AsnConvert.parse(new X509Certificate(authority.certificate).raw, Certificate).tbsCertificate.subject;
  const keyIdentifier = new KeyIdentifier(keyIdOf(createPublicKey(authority.certificate)));
  const general = names.map((name) => new GeneralName(isIP(name) ? { iPAddress: name } : { dNSName: name }));
  const extensions = [
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth]), false), // cluster routes use it for both roles
    extension(id_ce_subjectAltName, new SubjectAlternativeName(general), false),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier }), false),
  ];
  const name = nameOf(names[0] ?? "");
  const wanted = { name, issuer, publicKey: pair.publicKey, extensions, nowMs };
  return certify(wanted, pair.privateKey, createPrivateKey(authority.key));
}

/** Tells if a certificate is for exactly these names. */
export function isFor(certificate: string, names: readonly string[]): boolean {
  const { subjectAltName = "" } = new X509Certificate(certificate);
  const found = subjectAltName.split(", ").map((entry) => entry.replace(/^(DNS|IP Address):/, ""));
  return found.length === names.length && names.every((name) => found.includes(name));
}

interface Wanted {
  readonly name: Name;
  readonly issuer: Name;
  readonly publicKey: KeyObject;
  readonly extensions: Extension[];
  readonly nowMs: number;
}

function certify({ name, issuer, publicKey, extensions, nowMs }: Wanted, key: KeyObject, signer: KeyObject): Certified {
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: newSerial(),
    signature: algorithm,
    issuer,
    validity: new Validity({ notBefore: new Date(nowMs - beforeMs), notAfter: new Date(nowMs + validMs) }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signed = sign("sha256", Buffer.from(AsnConvert.serialize(content)), signer);
  const certificate = AsnConvert.serialize(
    new Certificate({ tbsCertificate: content, signatureAlgorithm: algorithm, signatureValue: bytesOf(signed) }),
  );
  return {
    certificate: new X509Certificate(Buffer.from(certificate)).toString(),
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function newPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

/**
 * Makes a positive serial number without leading zeros: https://datatracker.ietf.org/doc/html/rfc5280#section-4.1.2.2
 */
function newSerial(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytesOf(bytes);
}

function keyIdOf(publicKey: KeyObject): ArrayBuffer {
  const key = publicKey.export({ type: "spki", format: "der" });
  return bytesOf(createHash("sha256").update(key).digest().subarray(0, 20));
}

function nameOf(value: string): Name {
  const type = commonName;
  const attribute = new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: value.slice(0, 64) }) });
  return new Name([new RelativeDistinguishedName([attribute])]);
}

function extension(extnID: string, value: object, critical = true): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return Uint8Array.from(buffer).buffer;
}
