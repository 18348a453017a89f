package peer

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// Params are the params of a request of ours with its _meta in front. base are
// the members that every request of the latest revision has there, see
// legacy.RequestMeta; token is a raw progress token, empty for none.
func Params(req *mcp.Request, rev mcp.Revision, base []byte, token string) ([]byte, error) {
	meta := []byte(`{"_meta":{`)
	if rev.Modern() {
		meta = append(meta, base...)
		if req.Meta.LogLevel != "" {
			meta = append(append(append(meta, `,"io.modelcontextprotocol/logLevel":"`...), req.Meta.LogLevel...), '"')
		}
	}
	if token != "" {
		meta = append(append(separate(meta), `"progressToken":`...), token...)
	}
	members := jsonx.Object(req.Meta.Raw)
	for req.Meta.Raw != nil && members.Next() {
		meta = jsonx.AppendQuoted(separate(meta), members.Name())
		meta = append(append(meta, ':'), members.Value()...)
	}
	if meta[len(meta)-1] == '{' {
		return req.Params, nil
	}
	meta = append(meta, '}')
	if len(req.Params) == 0 {
		return append(meta, '}'), nil
	}
	members = jsonx.Object(req.Params)
	for members.Next() {
		if members.Name() != "_meta" {
			meta = jsonx.AppendQuoted(append(meta, ','), members.Name())
			meta = append(append(meta, ':'), members.Value()...)
		}
	}
	if err := members.Err(); err != nil {
		return nil, fmt.Errorf("the params of %s: %w", req.Method, err)
	}
	return append(meta, '}'), nil
}

func separate(object []byte) []byte {
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	return object
}
