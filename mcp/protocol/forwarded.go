package protocol

import "encoding/json"

// WithForwardedCapabilities returns a copy of m for a request that is forwarded to another server on behalf of a
// client. capabilities is a JSON object with the capabilities of that client. A connection of
// revision 2026-07-28 declares them for this request in place of the capabilities of its Host. The
// caller must be able to return the client's answers to questions.
func (m RequestMeta) WithForwardedCapabilities(capabilities json.RawMessage) RequestMeta {
	m.forwardedCapabilities = capabilities
	return m
}

// ForwardedCapabilities returns the capabilities that WithForwardedCapabilities has set, or nil.
func (m *RequestMeta) ForwardedCapabilities() json.RawMessage { return m.forwardedCapabilities }

// DeclaredClient returns the client's description of itself in the request, as the JSON object that
// was sent. It returns nil for a request of a session.
func (m *RequestMeta) DeclaredClient() json.RawMessage { return m.client }

// DeclaredCapabilities returns the capabilities that the request itself declares, as the JSON
// object that was sent. It returns nil for a request of a session.
func (m *RequestMeta) DeclaredCapabilities() json.RawMessage { return m.capabilities }
