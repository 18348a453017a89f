package gateway

import (
	"bytes"
	"encoding/json"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// adaptResult converts a raw result of one revision to the revision of the request's sender. Parts
// that are equal in both are copied without parsing.
func adaptResult(raw json.RawMessage, from protocol.Revision, req *protocol.Request) (protocol.Result, error) {
	to := req.Meta.Revision
	switch {
	case from.Modern() && to.Modern():
		return protocol.RawResult(raw), nil
	case to.Modern():
		return toModernResult(raw, req.Method), nil
	case req.Method == "tools/call" && needsRewriting(raw, to):
		result := new(mcp.ToolResult)
		if err := json.Unmarshal(raw, result); err != nil {
			return nil, protocol.Errorf(protocol.CodeInternal, "The server behind the gateway answered with a result that cannot be read")
		}
		return result, nil
	case from.Modern():
		return withoutMembers(raw, "resultType", "ttlMs", "cacheScope"), nil
	}
	return protocol.RawResult(raw), nil
}

// toModernResult adds the required members of revision 2026-07-28. It overrides members of the same
// name from an older server.
func toModernResult(raw json.RawMessage, method string) protocol.Result {
	head := `"resultType":"complete"`
	if method == "resources/read" {
		head += `,"ttlMs":0,"cacheScope":"private"`
	}
	rest := json.RawMessage(withoutMembers(raw, "resultType", "ttlMs", "cacheScope"))
	out := make([]byte, 0, len(rest)+len(head)+2)
	out = append(append(out, '{'), head...)
	if i := jsonx.Space(rest, 1); i < len(rest) && rest[i] != '}' {
		out = append(out, ',')
	}
	return protocol.RawResult(append(out, rest[1:]...))
}

// withoutMembers is an object without some of its members. One that has none of them, as
// a look at its bytes tells, is the same.
func withoutMembers(raw json.RawMessage, names ...string) protocol.RawResult {
	there := bytes.IndexByte(raw, '\\') >= 0 // a name may be escaped
	for _, name := range names {
		there = there || bytes.Contains(raw, []byte(name))
	}
	if !there {
		return protocol.RawResult(raw)
	}
	out := make([]byte, 1, len(raw))
	out[0] = '{'
	members := jsonx.Object(raw)
next:
	for members.Next() {
		name := members.Key()
		if members.Escaped() {
			name = []byte(members.Name())
		}
		for _, unwanted := range names {
			if string(name) == unwanted {
				continue next
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(jsonx.AppendQuoted(out, name), ':')
		out = append(out, members.Value()...)
	}
	return protocol.RawResult(append(out, '}'))
}

// needsRewriting reports whether a tool result may contain content that a revision does not
// support: structured content that is no object, or later block types. It searches the bytes
// without parsing; a false positive only costs time.
func needsRewriting(raw json.RawMessage, to protocol.Revision) bool {
	if to < protocol.Rev20250618 {
		return bytes.Contains(raw, []byte("structuredContent")) || bytes.Contains(raw, []byte("resource_link")) ||
			to < protocol.Rev20250326 && bytes.Contains(raw, []byte("audio"))
	}
	const key = `"structuredContent":`
	at := bytes.Index(raw, []byte(key))
	if at < 0 {
		return false
	}
	value := jsonx.Space(raw, at+len(key))
	return value < len(raw) && raw[value] != '{'
}
