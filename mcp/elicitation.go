package mcp

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// sessionRequest returns q in the form of a request of a session. A question by URL gets a random id.
// ElicitationDone uses the id to report that the user has finished (2025-11-25,
// client/elicitation).
func (call *Invocation) sessionRequest(q Question) protocol.InputRequest {
	rev := call.Request.Meta.Revision
	request := q.request(rev)
	if !q.byURL || rev.Modern() {
		return request
	}
	id := rand.Text()
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.urlQuestionIDs == nil {
		call.urlQuestionIDs = make(map[string]string)
	}
	call.urlQuestionIDs[q.Key] = id
	open := request.Params[: len(request.Params)-1 : len(request.Params)-1]
	request.Params = append(appendMember(open, "elicitationId", id), '}')
	return request
}

// ElicitationDone notifies the client that the user has finished the interaction of the URLQuestion
// with this key, so that the client can continue. It works only in revision 2025-11-25, and only
// during the call of ctx; otherwise it does nothing. An unknown key is an error.
func ElicitationDone(ctx context.Context, key string) error {
	call := CallFrom(ctx)
	if call == nil || call.Request.Notify == nil || call.Request.Meta.Revision != protocol.Rev20251125 {
		return nil
	}
	call.mu.Lock()
	id, asked := call.urlQuestionIDs[key]
	delete(call.urlQuestionIDs, key)
	call.mu.Unlock()
	if !asked {
		return fmt.Errorf("the call has not sent its user to a page under the key %q, or has already reported its end", key)
	}
	params := append(jsonx.AppendQuoted([]byte(`{"elicitationId":`), id), '}')
	return call.Request.Notify(ctx, &protocol.RawNotification{Name: "notifications/elicitation/complete", Params: params})
}
