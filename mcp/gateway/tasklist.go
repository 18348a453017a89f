package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// tasksPage is how many tasks a page of tasks/list has.
const tasksPage = 50

// listTasks serves tasks/list: the tasks of the sender that this gateway remembers, of
// all upstreams. The state of a task whose upstream does not answer is the last one.
func (v *view) listTasks(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if len(req.Params) > 0 {
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %v", err)
		}
	}
	all := v.g.book.of(req.Peer.Principal)
	if p.Cursor != "" {
		last, err := base64.RawURLEncoding.DecodeString(p.Cursor)
		at := slices.IndexFunc(all, func(t *task) bool { return t.text == string(last) })
		if err != nil || at < 0 {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the cursor is not one of this server's, or its task has expired; list again from the start")
		}
		all = all[at+1:]
	}
	out, next := []byte(`{"tasks":[`), ""
	patience, cancel := context.WithTimeout(ctx, v.g.opts.ListTimeout)
	defer cancel()
	for i, t := range all {
		if i == tasksPage {
			next = base64.RawURLEncoding.EncodeToString([]byte(all[i-1].text))
			break
		}
		if _, err := v.openTask(ctx, req, t.text); err != nil {
			continue // its tool may not be used any more
		}
		info, err := t.get(patience, req, false)
		var refused *protocol.Error
		if errors.As(err, &refused) || ctx.Err() != nil {
			continue
		}
		if err != nil {
			last, _ := t.seen()
			own := *last
			own.message = "as it was last seen; the server " + t.m.up.Name + " does not answer"
			info = &own
		}
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = append(out, info.session(t.text)...)
	}
	out = append(out, ']')
	if next != "" {
		out = append(out, `,"nextCursor":"`+next+`"`...)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return protocol.RawResult(append(out, '}')), nil
}
