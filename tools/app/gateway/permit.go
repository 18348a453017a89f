package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/auth"
)

// permitted returns an error if the token of a request does not permit a tool. One of two
// permissions is enough.
//
// The first is the server name, a colon and the listed tool name, such as
// "files:files_read_file"; "files:*" permits all tools of a server. The second follows from
// the annotations of the tool, such as "read" (mcp.Tool.DefaultPermission). Lists keep
// tools that a different token may permit.
func permitted(ctx context.Context, req *protocol.Request, upstream string, tool mcp.Tool) error {
	exact, general := upstream+":"+tool.Name, tool.DefaultPermission()
	hasExact := !strings.Contains(upstream, ":") // "a:*" is no permission for a server "a:b"
	given, limited := protocol.PermissionsFrom(ctx)
	if !limited || hasExact && auth.Permits(given, exact) || auth.Permits(given, general) {
		return nil
	}
	needed := general
	if hasExact && auth.Obtainable(ctx, []string{exact}) {
		needed = exact
	}
	if auth.KeepsListed(ctx, req, []string{needed}) {
		return nil
	}
	return auth.Require(ctx, needed)
}

// permissions returns the permissions that the tools of the servers may need.
func permissions(upstreams []gateway.Upstream) []string {
	all := []string{mcp.PermissionRead, mcp.PermissionWrite, mcp.PermissionRun}
	for _, u := range upstreams {
		if !strings.Contains(u.Name, ":") {
			all = append(all, u.Name+":*")
		}
	}
	return all
}

// audited records every call before it is made, and how it has ended. A call that
// cannot be recorded is not made.
func (s *service) audited(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		if s.audit == nil || req.Method != "tools/call" {
			return next(ctx, req)
		}
		name, arguments := callOf(req.Params)
		ctx = audit.WithIdentity(ctx, audit.Identity{UserID: req.Peer.Principal})
		record, err := s.audit.Begin(ctx, audit.Entry{Operation: name, Params: arguments})
		if err != nil {
			return mcp.ErrorResult(err), nil
		}
		result, err := next(ctx, req)
		outcome := err
		if err == nil && failed(result) {
			outcome = errors.New("the tool has failed")
		}
		if errEnd := record.End(outcome); errEnd != nil {
			s.log.ErrorContext(ctx, "the end of a call could not be recorded", "tool", name, "reason", errEnd)
		}
		return result, err
	}
}

// callOf returns the name and the arguments of a call.
func callOf(params json.RawMessage) (name string, arguments json.RawMessage) {
	members := jsonx.Object(params)
	for members.Next() {
		switch string(members.Key()) {
		case "name":
			name, _ = jsonx.Unquote(members.Value()) // a call without a name is refused
		case "arguments":
			arguments = members.Value()
		}
	}
	return name, arguments
}

// failed reports whether a result is one of a tool that has failed.
func failed(result protocol.Result) bool {
	switch r := result.(type) {
	case *mcp.ToolResult:
		return r.IsError
	case protocol.RawResult:
		if !bytes.Contains(r, []byte(`"isError"`)) {
			return false
		}
		members := jsonx.Object(r)
		for members.Next() {
			if string(members.Key()) == "isError" {
				return string(members.Value()) == "true"
			}
		}
	}
	return false
}

// listed are the tools of a result of tools/list.
func listed(result protocol.Result) ([]mcp.Tool, error) {
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []mcp.Tool `json:"tools"`
	}
	return list.Tools, json.Unmarshal(wire, &list)
}
