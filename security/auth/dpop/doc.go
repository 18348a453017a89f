// Package dpop makes and checks proofs that whoever shows an access token also
// holds the private key that the token was issued to (RFC 9449): a token that was
// copied on its way is then of no use. A client signs a proof for each request with
// its Key; a server looks at it with a Checker, which auth.Resource does for the
// tokens that are bound to a key.
package dpop
