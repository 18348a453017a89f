package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// taskSeal makes the ids of tasks that clients get. An id says which upstream has
// the task and which tool it is of, and is valid for the principal of the call
// alone: an upstream sees one client, the gateway. The same task has the same id.
type taskSeal struct{ key []byte }

// newTaskSeal makes a seal with a key of 32 bytes, or a random one.
func newTaskSeal(key []byte) (taskSeal, error) {
	if key == nil {
		key = make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return taskSeal{}, fmt.Errorf("making a key: %w", err)
		}
	}
	if len(key) != 32 {
		return taskSeal{}, fmt.Errorf("the key of tasks has %d bytes; it must have 32", len(key))
	}
	return taskSeal{key}, nil
}

const (
	taskPrefix = "gwt." // begins the ids
	taskMark   = 16     // bytes of the authentication code
	maxTaskID  = 1024   // bytes of an upstream's id
)

// mark is the authentication code of an id for a principal.
func (s taskSeal) mark(principal, plain string) []byte {
	h := hmac.New(sha256.New, s.key)
	h.Write(strconv.AppendInt(nil, int64(len(principal)), 10))
	h.Write([]byte("\x00" + principal + plain))
	return h.Sum(nil)[:taskMark]
}

func (s taskSeal) seal(principal, upstream, tool, id string) string {
	plain := upstream + "\x00" + tool + "\x00" + id
	return taskPrefix + base64.RawURLEncoding.EncodeToString(append(s.mark(principal, plain), plain...))
}

func (s taskSeal) open(principal, text string) (upstream, tool, id string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(text, taskPrefix))
	if err != nil || !strings.HasPrefix(text, taskPrefix) || len(text) > maxURI || len(raw) < taskMark {
		return "", "", "", false
	}
	plain := string(raw[taskMark:])
	if !hmac.Equal(raw[:taskMark], s.mark(principal, plain)) {
		return "", "", "", false
	}
	upstream, plain, _ = strings.Cut(plain, "\x00")
	tool, id, ok = strings.Cut(plain, "\x00")
	return upstream, tool, id, ok
}

// errTaskID is an upstream's task whose id is missing or too long.
var errTaskID = errors.New("it answered with a task that has no usable id")

// takesTasks reports whether the sender of a request can take a task.
func takesTasks(req *protocol.Request) bool {
	if req.Meta.Revision.Modern() {
		return req.Meta.HasExtension(protocol.TasksExtension)
	}
	return req.Meta.Revision == protocol.Rev20251125
}

// unknownTask is the error for an id that is not one of the sender's tasks.
func unknownTask() error {
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown task; it may have been forgotten, or belong to another user")
}

// needsTasks is the error for a request of 2026-07-28 without the extension.
func needsTasks(what string) error {
	e := protocol.Errorf(protocol.CodeMissingCapability, "The client does not declare the extension %s, which %s needs", protocol.TasksExtension, what)
	e.Data = []byte(`{"requiredCapabilities":{"extensions":{"` + protocol.TasksExtension + `":{}}}}`)
	return e
}

// canListTasks reports whether tasks can be listed to a peer, because no other peer
// can be taken for it (2025-11-25, basic/utilities/tasks, "Security Considerations").
func canListTasks(peer protocol.Peer) bool {
	return peer.Principal != "" || peer.Transport == "stdio" || peer.Transport == "memory"
}

// task serves the methods of tasks. tasks/result and tasks/list belong to
// 2025-11-25, tasks/update to 2026-07-28.
func (v *view) task(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	modern := req.Meta.Revision.Modern()
	exists := modern || req.Meta.Revision == protocol.Rev20251125
	switch req.Method {
	case "tasks/update":
		exists = modern
	case "tasks/result", "tasks/list":
		exists = exists && !modern
	}
	if !exists || !v.table.Load().tasks {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", req.Method)
	}
	if modern && !req.Meta.HasExtension(protocol.TasksExtension) {
		return nil, needsTasks(req.Method)
	}
	if req.Method == "tasks/list" {
		if !canListTasks(req.Peer) {
			return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", req.Method)
		}
		return v.listTasks(ctx, req)
	}
	s, err := readSubject(req.Method, "taskId", req.Params)
	if err != nil {
		return nil, err
	}
	t, err := v.openTask(ctx, req, s.text)
	if err != nil {
		return nil, err
	}
	if modern {
		return t.serveModern(ctx, req, s)
	}
	return t.serveSession(ctx, req, s)
}

// openTask finds the task of an id that the sender of a request has sent. The
// filter is asked again, since the sender may have lost the tool.
func (v *view) openTask(ctx context.Context, req *protocol.Request, text string) (*task, error) {
	upstream, tool, id, ok := v.g.tasks.open(req.Peer.Principal, text)
	for _, m := range v.members {
		if !ok || m.up.Name != upstream {
			continue
		}
		if filter := v.g.opts.Filter; filter != nil {
			if route := v.table.Load().toolAt[m.up.prefix(v.g.opts.Separator)+tool]; route != nil {
				if err := filter(ctx, req, upstream, route.tool); err != nil {
					var refused *protocol.Error
					if errors.As(err, &refused) {
						return nil, err
					}
					return nil, protocol.Errorf(protocol.CodeInvalidParams, "The tool of this task may not be used: %v", err)
				}
			}
		}
		return v.g.book.adopt(newTask(m, req, tool, id, text)), nil
	}
	return nil, unknownTask()
}
