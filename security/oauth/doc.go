// Package oauth is an OAuth 2.1 client for HTTP transports (MCP 2026-07-28, basic/authorization).
// It obtains access tokens for MCP servers and adds them to requests. It is independent of MCP:
// package httpclient, the handshake of package websocket and a plain http.Client can use it.
//
//	client := &oauth.Client{Name: "My editor", Store: &oauth.File{Path: path}}
//	defer client.Close()
//	t := &httpclient.Client{URL: url, HTTPClient: &http.Client{Transport: client.Transport(url, nil)}}
//
// [Client] holds the settings; [Client.Transport] returns an http.RoundTripper for one resource.
// When the server refuses a request with status 401, the Client takes these steps and sends the
// request again:
//
//   - It discovers the authorization server of the resource (RFC 9728, RFC 8414, OpenID Connect
//     Discovery).
//   - It uses preset credentials, a Client ID Metadata Document or dynamic registration (RFC
//     7591).
//   - It opens the login page in the user's browser, with PKCE and the resource (RFC 7636, RFC
//     8707).
//   - It checks the issuer of the response (RFC 9207) and exchanges the code for a token.
//
// A status 403 that names missing scopes repeats these steps with the additional scopes. Tokens are
// refreshed before they expire. One authorization runs at a time for each resource; other requests
// wait for its result. Authorizations of several resources may run at once, but a Client shows one
// login page at a time.
//
// Programs that obtain tokens without a login page set Client.Grant: ClientCredentials, Workload,
// Exchange or Enterprise. Enterprise sends an identity assertion of the company's identity provider
// (ID-JAG, an identity assertion authorization grant). Client.DPoP binds tokens to a key (RFC 9449).
//
// Addresses from servers are untrusted. Only https, and http on this machine, is used. Private and
// link-local addresses are refused, also after name resolution and redirects, unless the resource
// itself has such an address. Bodies and times are limited. The issuer of each document is compared
// byte for byte. A token is sent only to the origin of its resource.
package oauth
