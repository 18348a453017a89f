// Package jwt checks access tokens in the JSON Web Token format (RFC 9068, RFC 7519) with the
// public keys of their issuers. [Verifier] implements auth.Verifier. It fetches the keys of an
// issuer and caches them, so a token needs no request of its own. A token is accepted until it
// expires, also if it was revoked; package introspect detects revocation.
//
// Insecure parts of the format are not supported (RFC 8725): the algorithm "none", algorithms with
// a shared secret, and keys or key URLs in a token.
package jwt
