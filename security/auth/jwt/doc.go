// Package jwt checks access tokens that are signed texts, JSON Web Tokens (RFC 9068,
// RFC 7519), with the public keys of those who have issued them: nobody is asked for
// each token. Such a token counts until it expires; package introspect asks whether it
// was withdrawn.
//
// What an attacker could make of the format is left out: there is no algorithm "none",
// none with a shared secret, and keys come from the issuer's metadata alone, never from
// what the token says of itself (RFC 8725).
package jwt
