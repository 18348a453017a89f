package protocol

import "github.com/dougu-go/dougu/internal/jsonx"

// TasksExtension is the id of the extension by which a server returns a task for a call. The client
// requests the result later.
const TasksExtension = "io.modelcontextprotocol/tasks"

// HasExtension reports whether the client declares an extension for this request (2026-07-28,
// basic/versioning, "Extension Negotiation").
func (m *RequestMeta) HasExtension(id string) bool {
	if m.session != nil {
		_, declared := m.session.Capabilities.Extensions[id]
		return declared
	}
	return jsonx.Member(jsonx.Member(m.capabilities, "extensions"), id) != nil
}

// HasExperimental reports whether the client declares a capability outside the specification for
// this request.
func (m *RequestMeta) HasExperimental(name string) bool {
	if m.session != nil {
		_, declared := m.session.Capabilities.Experimental[name]
		return declared
	}
	return jsonx.Member(jsonx.Member(m.capabilities, "experimental"), name) != nil
}

// StructuredCapability is the key in ClientCapabilities.Experimental by which a client asks for
// structured content; its value is {}. An mcp.Client declares it.
const StructuredCapability = "io.github.dougu-go/structuredContent"
