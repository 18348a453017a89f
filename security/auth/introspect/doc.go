// Package introspect checks access tokens with a request to the authorization server that issued
// them (RFC 7662). [Verifier] implements auth.Verifier. It supports tokens of any format, and
// detects a revoked token within a minute. Package jwt needs no request for each token.
package introspect
