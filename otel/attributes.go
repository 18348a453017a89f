package otel

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// The attributes of the semantic conventions for MCP and generative AI, and the
// attributes that these conventions take from others.
const (
	keyMethod      = attribute.Key("mcp.method.name")
	keyRevision    = attribute.Key("mcp.protocol.version")
	keySession     = attribute.Key("mcp.session.id")
	keyURI         = attribute.Key("mcp.resource.uri")
	keyTool        = attribute.Key("gen_ai.tool.name")
	keyPrompt      = attribute.Key("gen_ai.prompt.name")
	keyOperation   = attribute.Key("gen_ai.operation.name")
	keyArguments   = attribute.Key("gen_ai.tool.call.arguments")
	keyRequestID   = attribute.Key("jsonrpc.request.id")
	keyStatus      = attribute.Key("rpc.response.status_code")
	keyError       = attribute.Key("error.type")
	keyTransport   = attribute.Key("network.transport")
	keyProtocol    = attribute.Key("network.protocol.name")
	keyServer      = attribute.Key("server.address")
	keyServerPort  = attribute.Key("server.port")
	keyClient      = attribute.Key("client.address")
	keyClientPort  = attribute.Key("client.port")
	executeTool    = "execute_tool"
	otherMethod    = "_OTHER"
	otherError     = "_OTHER"
	toolError      = "tool_error"
	errorTimeout   = "timeout"
	errorCancelled = "cancelled"
	errorPanic     = "panic"
)

// The attributes for which there is no convention.
const (
	// keyCode is the error code of a tool, for example FILE_NOT_FOUND.
	keyCode = attribute.Key("dougu.tool.error.code")
	// keyOutcome is the type of an incomplete result: input_required or task.
	keyOutcome = attribute.Key("dougu.result.type")
)

// labels are the attributes of a metric: few, each with few values.
type labels struct {
	method   string
	tool     string
	prompt   string
	revision protocol.Revision
	failure  string // error.type
	status   string // code of a protocol error
	at       peerAddress
}

// peerAddress is the address of a peer: its transport and protocol, and the host and port of a
// server.
type peerAddress struct {
	transport, protocol string
	server              string
	port                int
}

func (p peerAddress) append(dst []attribute.KeyValue) []attribute.KeyValue {
	dst = appendText(dst, keyTransport, p.transport)
	dst = appendText(dst, keyProtocol, p.protocol)
	dst = appendText(dst, keyServer, p.server)
	if p.port > 0 {
		dst = append(dst, keyServerPort.Int(p.port))
	}
	return dst
}

func appendText(dst []attribute.KeyValue, key attribute.Key, value string) []attribute.KeyValue {
	if value == "" {
		return dst
	}
	return append(dst, key.String(value))
}

// append appends the attributes that are known before the request is served.
func (l *labels) append(dst []attribute.KeyValue) []attribute.KeyValue {
	dst = appendText(dst, keyMethod, l.method)
	if l.tool != "" {
		dst = append(dst, keyTool.String(l.tool), keyOperation.String(executeTool))
	}
	dst = appendText(dst, keyPrompt, l.prompt)
	dst = appendText(dst, keyRevision, string(l.revision))
	return l.at.append(dst)
}

func (l labels) set() attribute.Set {
	all := l.append(make([]attribute.KeyValue, 0, 12))
	all = appendText(all, keyError, l.failure)
	return attribute.NewSet(appendText(all, keyStatus, l.status)...)
}

// addressOfTransport is how the sender of a request has reached the server.
func addressOfTransport(transport string) peerAddress {
	switch transport {
	case "stdio":
		return peerAddress{transport: "pipe"}
	case "tcp", "unix":
		return peerAddress{transport: transport}
	case "tcp4", "tcp6":
		return peerAddress{transport: "tcp"}
	case "http", "websocket":
		return peerAddress{transport: "tcp", protocol: transport}
	}
	return peerAddress{}
}

func code(n int64) string { return strconv.FormatInt(n, 10) }
