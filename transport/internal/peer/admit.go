package peer

import (
	"context"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

// Admit decides by a request alone whether it stands for itself or belongs to
// session, which is nil when there is none (2026-07-28, basic/versioning), and
// completes its Meta accordingly. When the request is the initialize that opens
// a session, that session is returned.
func Admit(req *protocol.Request, session *legacy.Session) (opened *legacy.Session, err error) {
	if len(req.Params) > 0 && req.Params[0] == '[' {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: params must be an object")
	}
	meta, err := protocol.ReadMeta(req.Params)
	if err != nil {
		return nil, err
	}
	switch {
	case meta.Revision != "":
		req.Meta = meta
		return nil, CheckModern(&meta)
	case req.Method == "initialize" && session != nil && session.Refused() == nil:
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "Invalid request: the session has been initialized already")
	case req.Method == "initialize":
		opened, err := legacy.Open(req.Params)
		if err != nil {
			return nil, err
		}
		req.Meta = opened.Fill(meta)
		return opened, nil
	case session != nil:
		req.Meta = session.Fill(meta)
		return nil, session.Check(req.Method)
	case req.Method == "ping":
		return nil, nil
	}
	return nil, legacy.ErrNoSession
}

// CheckModern returns an error if the revision of a request is not a supported
// modern revision, or if a required member of _meta is missing.
func CheckModern(meta *protocol.RequestMeta) error {
	if !meta.Revision.Known() || !meta.Revision.Modern() {
		return protocol.UnsupportedRevision(meta.Revision)
	}
	if !meta.HasCapabilities() {
		return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: _meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing; send {} for none")
	}
	return nil
}

// Dispatch serves an admitted request. Requests about the session itself are
// served by session, which is nil if there is none; d serves all others.
func Dispatch(ctx context.Context, d protocol.Dispatcher, session *legacy.Session, req *protocol.Request) (protocol.Result, error) {
	if !req.Meta.Revision.Modern() {
		if result, err, own := session.Answer(ctx, d, req); own {
			return result, err
		}
	}
	result, err := d.Dispatch(ctx, req)
	if err == nil {
		session.Served(req, result)
	}
	return result, err
}
