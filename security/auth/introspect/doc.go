// Package introspect checks access tokens by asking the authorization server that has
// issued them (RFC 7662). That works for tokens of any form, and one that was withdrawn
// counts no longer than a minute. Package jwt needs to ask nobody.
package introspect
