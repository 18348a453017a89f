package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxBooked bounds the tasks of all principals together that the gateway remembers, and maxBookedEach the tasks of one principal.
	maxBooked, maxBookedEach = 10_000, 256
	// bookedFor is the time for which a task is remembered if its upstream sets no ttl.
	bookedFor = 24 * time.Hour
)

// taskBook holds the tasks that calls of clients have become at upstreams. The gateway uses it to list tasks, to send
// notifications, to forward questions, and to tell a task that its upstream has lost from one that never was. A client can
// still ask for a task that is not in the book, by its id.
type taskBook struct {
	mu       sync.Mutex
	byText   map[string]*task // by the id that clients use
	byID     map[taskKey]*task
	order    []*task // the oldest first
	kept     int     // size of the results that the gateway keeps, in bytes
	attended int     // tasks with a goroutine that waits for questions of the upstream
}

// taskKey identifies a task by its upstream and the upstream's id of the task.
type taskKey struct {
	m  *member
	id string
}

// task is one call that has become a task at an upstream.
type task struct {
	m         *member
	principal string
	tool      string // name of the tool at the upstream
	id        string // id at the upstream
	text      string // id that clients use; it is sealed for the principal
	caps      protocol.ClientCapabilities
	session   *protocol.SessionMeta // nil for clients of revision 2026-07-28
	token     json.RawMessage       // progress token; nil if the client wants no progress
	link      *link                 // link on which the task was created; nil if that is not known
	expires   time.Time
	size      int // of the result that the gateway keeps; guarded by taskBook.mu

	mu        sync.Mutex
	last      *taskInfo                  // last known state, without its result; nil before the first one
	progress  string                     // last message
	cancelled bool                       // a session has cancelled the task: later states of the upstream are shown as cancelled
	fixed     bool                       // the gateway has ended the task: later states of the upstream are ignored
	watchers  map[chan struct{}]struct{} // receive a token at each change
	questions map[string]*taskQuestion   // unanswered questions, by key
	asked     int                        // questions so far
	attending bool                       // a request waits in tasks/result, so that the upstream can ask questions
}

// taskQuestion is a request of an upstream of revision 2025-11-25 to the client that has no answer yet.
type taskQuestion struct {
	request protocol.InputRequest
	told    bool            // sent to the client of a session
	answer  chan taskAnswer // receives the answer; has room for it
}

// taskAnswer is the answer of a client, or an error.
type taskAnswer struct {
	raw json.RawMessage
	err error
}

// newTask returns a task that is not in the book.
func newTask(m *member, req *protocol.Request, tool, id, text string) *task {
	return &task{
		m: m, principal: req.Peer.Principal, tool: tool, id: id, text: text,
		caps: req.Meta.Capabilities(), session: req.Meta.Session(), expires: time.Now().Add(bookedFor),
	}
}

// adopt returns the task in the book with the same id, and enters t if there is none: a client may bring an id from before a
// restart of the gateway.
func (b *taskBook) adopt(t *task) *task {
	b.mu.Lock()
	defer b.mu.Unlock()
	if other := b.byText[t.text]; other != nil && other.m == t.m && time.Now().Before(other.expires) {
		return other
	}
	b.add(t)
	return t
}

// enter adds a task. At the limit of its principal it drops the principal's oldest task, and at that of all the oldest of all.
func (b *taskBook) enter(t *task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(t)
}

// add is enter for a caller that holds b.mu.
func (b *taskBook) add(t *task) {
	if b.byText == nil {
		b.byText, b.byID = make(map[string]*task), make(map[taskKey]*task)
	}
	now := time.Now()
	each, oldest := 0, (*task)(nil)
	for _, other := range slices.Clone(b.order) {
		switch {
		case other.text == t.text || now.After(other.expires) || other.m.life.Err() != nil:
			b.drop(other)
		case other.principal == t.principal:
			if each++; oldest == nil {
				oldest = other
			}
		}
	}
	if each >= maxBookedEach {
		b.drop(oldest)
	} else if len(b.order) >= maxBooked {
		b.drop(b.order[0])
	}
	b.byText[t.text], b.byID[taskKey{t.m, t.id}] = t, t
	b.order = append(b.order, t)
}

// drop removes a task; b.mu is held.
func (b *taskBook) drop(t *task) {
	b.order = slices.DeleteFunc(b.order, func(other *task) bool { return other == t })
	b.kept -= t.size
	t.size = 0
	delete(b.byText, t.text)
	if key := (taskKey{t.m, t.id}); b.byID[key] == t {
		delete(b.byID, key)
	}
}

// keep records the size of a task's result, in bytes. While all results are larger than maxKept, it drops other tasks that have
// results, in the order of their entry.
func (b *taskBook) keep(t *task, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byText[t.text] != t {
		return
	}
	b.kept += size - t.size
	t.size = size
	for _, other := range slices.Clone(b.order) {
		if b.kept > maxKept && other != t && other.size > 0 {
			b.drop(other)
		}
	}
}

func (b *taskBook) forget(t *task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byText[t.text] == t {
		b.drop(t)
	}
}

// at returns the task of an upstream's id, or nil.
func (b *taskBook) at(m *member, id string) *task {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.byID[taskKey{m, id}]
}

// of returns the tasks of a principal, the oldest first.
func (b *taskBook) of(principal string) []*task {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*task
	for _, t := range b.order {
		if t.principal == principal && time.Now().Before(t.expires) {
			all = append(all, t)
		}
	}
	return all
}

// note records a state from the upstream, and returns the state for clients. A task that a session has cancelled stays
// cancelled, and one that the gateway has ended keeps its last state.
func (t *task) note(info *taskInfo) *taskInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fixed {
		return t.last
	}
	own := *info
	if t.cancelled {
		own.status, own.requests, own.result, own.err = taskCancelled, nil, nil, nil
	}
	if own.message == "" && own.status == taskWorking {
		own.message = t.progress
	}
	kept := own // without the result, which may be large
	if kept.result = nil; isErrorResult(own.result) {
		kept.result = json.RawMessage(`{"isError":true}`)
	}
	t.last = &kept
	if own.ended() {
		t.refuse(errors.New("the task has ended"))
	}
	return &own
}

// fix ends a task at the gateway, without the upstream.
func (t *task) fix(info *taskInfo) {
	t.mu.Lock()
	t.end(info)
	t.mu.Unlock()
	t.wake()
}

// end is fix for a caller that holds t.mu, without waking watchers.
func (t *task) end(info *taskInfo) {
	t.last, t.fixed = info, true
	t.refuse(errors.New("the task has ended"))
}

// seen returns the last known state, or nil, and whether the gateway has ended the task.
func (t *task) seen() (info *taskInfo, fixed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last, t.fixed
}

// watch returns a channel that holds a token after wake, one for several changes. The caller calls stop at the end.
func (t *task) watch() (changed chan struct{}, stop func()) {
	changed = make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watchers == nil {
		t.watchers = make(map[chan struct{}]struct{})
	}
	t.watchers[changed] = struct{}{}
	return changed, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.watchers, changed)
	}
}

func (t *task) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for changed := range t.watchers {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

// ask forwards a question of the upstream to the client of the task, and waits for the answer. It fails when ctx, the upstream
// or the task ends.
func (t *task) ask(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
	if !isKind(q, t.caps) {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: the client of the task cannot answer %s", q.Method)
	}
	one := &taskQuestion{request: q, answer: make(chan taskAnswer, 1)}
	t.mu.Lock()
	if t.fixed || t.last != nil && t.last.ended() {
		t.mu.Unlock()
		return nil, protocol.Errorf(protocol.CodeInternal, "the task has ended")
	}
	if len(t.questions) >= maxQuestions || t.asked >= maxRounds*maxQuestions {
		t.mu.Unlock()
		return nil, protocol.Errorf(protocol.CodeInternal, "Too many questions at once")
	}
	if t.questions == nil {
		t.questions = make(map[string]*taskQuestion)
	}
	t.asked++
	key := "q" + strconv.Itoa(t.asked)
	t.questions[key] = one
	t.mu.Unlock()
	t.wake()
	defer func() {
		t.mu.Lock()
		delete(t.questions, key)
		t.mu.Unlock()
		t.wake()
	}()
	select {
	case answer := <-one.answer:
		if answer.err != nil {
			return nil, answer.err
		}
		return withRelated(answer.raw, t.id), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-t.m.life.Done():
		return nil, context.Cause(t.m.life)
	}
}

// open returns the questions without an answer, by key.
func (t *task) open() map[string]protocol.InputRequest {
	t.mu.Lock()
	defer t.mu.Unlock()
	var open map[string]protocol.InputRequest
	for key, q := range t.questions {
		if open == nil {
			open = make(map[string]protocol.InputRequest)
		}
		request := q.request
		request.Params = json.RawMessage(withoutMembers(request.Params, "_meta"))
		open[key] = request
	}
	return open
}

// untold returns the questions that were not sent to a session, and marks them as sent.
func (t *task) untold() map[string]*taskQuestion {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := make(map[string]*taskQuestion)
	for key, q := range t.questions {
		if !q.told {
			q.told = true
			next[key] = q
		}
	}
	return next
}

// retell makes untold return a question again whose session has ended without an answer.
func (t *task) retell(q *taskQuestion) {
	t.mu.Lock()
	q.told = false
	t.mu.Unlock()
	t.wake()
}

// reply delivers answers to questions. Unknown keys are ignored; one answer that is no object fails all.
func (t *task) reply(responses map[string]json.RawMessage) error {
	for key, raw := range responses {
		if len(raw) == 0 || raw[0] != '{' {
			return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: inputResponses[%q] must be an object", safeText(key))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, raw := range responses {
		if q := t.questions[key]; q != nil {
			delete(t.questions, key)
			q.answer <- taskAnswer{raw: raw}
		}
	}
	return nil
}

// refuse answers all questions with an error. The caller holds t.mu.
func (t *task) refuse(why error) {
	for key, q := range t.questions {
		delete(t.questions, key)
		select {
		case q.answer <- taskAnswer{err: protocol.Errorf(protocol.CodeInternal, "%s", why.Error())}:
		default: // it was answered a moment ago
		}
	}
}
