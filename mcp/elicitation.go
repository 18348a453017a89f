package mcp

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// identified is a question as a session is asked it. One that sends the user to
// a page has an id, unguessable and never used again, by which the server can
// say later that the user is done there (2025-11-25, client/elicitation).
func (call *Invocation) identified(q Question) InputRequest {
	rev := call.Request.Meta.Revision
	request := q.request(rev)
	if !q.page || rev.Modern() {
		return request
	}
	id := rand.Text()
	call.mu.Lock()
	defer call.mu.Unlock()
	if call.pages == nil {
		call.pages = make(map[string]string)
	}
	call.pages[q.Key] = id
	open := request.Params[: len(request.Params)-1 : len(request.Params)-1]
	request.Params = append(appendMember(open, "elicitationId", id), '}')
	return request
}

// ElicitationDone tells the client that the user has done what the URLQuestion
// of that key was for, so that it can go on from there. Only clients of revision
// 2025-11-25 can be told, and only before the call of ctx has ended; for others
// it does nothing.
func ElicitationDone(ctx context.Context, key string) error {
	call := CallFrom(ctx)
	if call == nil || call.Request.Notify == nil || call.Request.Meta.Revision != Rev20251125 {
		return nil
	}
	call.mu.Lock()
	id, asked := call.pages[key]
	delete(call.pages, key)
	call.mu.Unlock()
	if !asked {
		return fmt.Errorf("the call has not sent its user to a page under the key %q, or has told already that it is done", key)
	}
	params := append(jsonx.AppendQuoted([]byte(`{"elicitationId":`), id), '}')
	return call.Request.Notify(ctx, &RawNotification{Name: "notifications/elicitation/complete", Params: params})
}
