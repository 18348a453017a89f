// Package oauth gets the tokens that MCP servers ask for, and sends them along (2026-07-28, basic/authorization; OAuth 2.1). It
// is an http.RoundTripper and knows nothing of MCP, so that it serves whatever speaks HTTP: package httpclient, the handshake of
// package websocket, or a plain http.Client.
//
//	client := &oauth.Client{Name: "My editor", Store: &oauth.File{Path: path}}
//	defer client.Close()
//	t := &httpclient.Client{URL: url, HTTPClient: &http.Client{Transport: client.Transport(url, nil)}}
//
// A request that the server refuses with 401 makes the client find out who gives tokens for the server (RFC 9728, RFC 8414,
// OpenID Connect Discovery), register there if nobody has (pre-registered, by a Client ID Metadata Document, or dynamically, RFC
// 7591), send the user's browser there with PKCE and the resource (RFC 7636, RFC 8707), check who answers (RFC 9207), and send the
// request again. A 403 that names missing scopes does so once more with these besides. Tokens are refreshed before they end. One
// authorization runs at a time, however many requests wait for it.
//
// Programs without a user set Client.Grant: ClientCredentials, Enterprise (ID-JAG), or Workload. Client.DPoP binds tokens to a
// key (RFC 9449).
//
// What servers say about where to go next is not trusted: only https, or http on this machine; no private or link-local
// addresses unless the server itself is there, whatever names and redirects lead to them; bounded bodies and times; the issuer of
// every document byte for byte. A token goes to the origin that it was made for, and to no other.
package oauth
