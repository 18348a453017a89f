package tasks

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Follow implements protocol.TaskRunner.
func (r *Runner) Follow(ctx context.Context, req *protocol.Request, ids []string, may func(tool string) error, changed func(id string)) (followed []string, stop func(), err error) {
	var leaves []func()
	stop = func() {
		for _, leave := range leaves {
			leave()
		}
	}
	for _, id := range ids {
		leave, err := r.hub.follow(id, func(Record) { changed(id) })
		if err != nil {
			stop()
			return nil, nil, storeError(err)
		}
		if _, err := r.find(ctx, req.Peer.Principal, id, may); err != nil {
			leave()
			continue // unknown ids are ignored
		}
		leaves = append(leaves, leave)
		followed = append(followed, id)
		changed(id) // the task may have ended before
	}
	leaves = append(leaves, r.keepMaintained())
	return followed, stop, nil
}

// Notification implements protocol.TaskRunner.
func (r *Runner) Notification(ctx context.Context, listen *protocol.Request, id string) protocol.Notification {
	record, err := r.store.Get(ctx, id)
	if err != nil || !record.Expires.After(time.Now()) {
		return nil
	}
	seen, err := r.view(&record, nil)
	if err != nil {
		return nil
	}
	if !listen.Meta.Revision.Modern() {
		return &sessionNotification{seen}
	}
	return &notification{seen, listen.ID}
}
