package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// metaPrefix begins the keys of _meta that are the protocol's own.
const metaPrefix = "io.modelcontextprotocol/"

// Params returns the parameters of an outgoing request, with _meta first. base
// holds the members of _meta in each request of the latest revision, see
// legacy.RequestMeta. token is a raw progress token, or empty.
//
// Revision, client and token in req.Meta.Raw belong to the connection from which
// the request came and are left out, as is a _meta in req.Params. The
// capabilities in req.Meta.Behalf replace those of base.
func Params(req *protocol.Request, rev protocol.Revision, base []byte, token string) ([]byte, error) {
	meta := []byte(`{"_meta":{`)
	if rev.Modern() {
		meta = appendBase(meta, base, req.Meta.ForwardedCapabilities())
		if req.Meta.LogLevel != "" {
			meta = append(append(append(separate(meta), `"io.modelcontextprotocol/logLevel":"`...), req.Meta.LogLevel...), '"')
		}
	}
	if token != "" {
		meta = append(append(separate(meta), `"progressToken":`...), token...)
	}
	if len(req.Meta.Raw) > 0 {
		members := jsonx.Object(req.Meta.Raw)
		for members.Next() {
			if name := members.Name(); !ownKey(name) {
				meta = append(jsonx.AppendQuoted(separate(meta), name), ':')
				meta = append(meta, members.Value()...)
			}
		}
		if err := members.Err(); err != nil {
			return nil, fmt.Errorf("the _meta of %s: %w", req.Method, err)
		}
	}
	if meta[len(meta)-1] == '{' {
		return withMembers([]byte(`{`), req)
	}
	return withMembers(append(meta, '}'), req)
}

// capabilitiesKey is the member of base with the client capabilities.
const capabilitiesKey = `"io.modelcontextprotocol/clientCapabilities":`

// appendBase appends base to dst. If capabilities is not nil, it replaces the
// client capabilities of base.
func appendBase(dst, base []byte, capabilities json.RawMessage) []byte {
	at := bytes.Index(base, []byte(capabilitiesKey))
	if capabilities == nil || at < 0 {
		return append(dst, base...)
	}
	at += len(capabilitiesKey)
	end, _, err := jsonx.Skip(base, at)
	if err != nil {
		return append(dst, base...) // unreachable: it is ours
	}
	dst = append(append(dst, base[:at]...), capabilities...)
	return append(dst, base[end:]...)
}

// withMembers appends the members of a request's params, but for _meta, and
// ends the object. It is nil when the request has no params.
func withMembers(object []byte, req *protocol.Request) ([]byte, error) {
	if len(req.Params) == 0 {
		if len(object) == 1 {
			return nil, nil
		}
		return append(object, '}'), nil
	}
	members := jsonx.Object(req.Params)
	for members.Next() {
		if name := members.Name(); name != "_meta" {
			object = append(jsonx.AppendQuoted(separate(object), name), ':')
			object = append(object, members.Value()...)
		}
	}
	if err := members.Err(); err != nil {
		return nil, fmt.Errorf("the params of %s: %w", req.Method, err)
	}
	return append(object, '}'), nil
}

// ownKey reports whether a key of _meta is for each connection to fill in.
func ownKey(key string) bool {
	name, ok := strings.CutPrefix(key, metaPrefix)
	switch {
	case key == "progressToken":
		return true
	case !ok:
		return false
	}
	return name == "protocolVersion" || name == "clientCapabilities" || name == "clientInfo" || name == "logLevel"
}

func separate(object []byte) []byte {
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	return object
}
