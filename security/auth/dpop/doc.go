// Package dpop creates and checks DPoP proofs (RFC 9449). A proof shows that the client holds the
// private key that an access token is bound to, so a stolen token is useless. A client signs a
// proof for each request with its [Key]. A server checks it with a [Checker]; auth.Resource does
// this for bound tokens. [Nonces] prevents proofs that are signed in advance. Replays are detected
// within one process only.
package dpop
