package mcp

import "encoding/json"

// OnBehalf returns the meta of a request that is passed on to another server for
// a client whose capabilities are these, a JSON object: a connection of revision
// 2026-07-28 declares them for this request instead of those of its Host. What
// passes a request on must be able to bring the client's answers back.
func (m RequestMeta) OnBehalf(capabilities json.RawMessage) RequestMeta {
	m.behalf = capabilities
	return m
}

// Behalf is what OnBehalf was given, or nil.
func (m *RequestMeta) Behalf() json.RawMessage { return m.behalf }

// DeclaredCapabilities are those that the request itself declares, a JSON object
// as it was sent, or nil in a session.
func (m *RequestMeta) DeclaredCapabilities() json.RawMessage { return m.capabilities }
