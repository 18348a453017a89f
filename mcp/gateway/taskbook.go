package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

const (
	// maxBooked bounds the tasks that the gateway remembers, in all and of a principal.
	maxBooked, maxBookedEach = 10_000, 256
	// bookedFor is how long a task without a ttl is remembered.
	bookedFor = 24 * time.Hour
)

// taskBook holds the tasks that calls through this gateway have become: for lists,
// notifications and questions, and to tell a lost task from an unknown one. A task
// that is not in it can still be asked for by its id.
type taskBook struct {
	mu       sync.Mutex
	byText   map[string]*task
	byID     map[taskKey]*task
	order    []*task
	kept     int // bytes of results that the gateway keeps
	attended int // tasks whose questions are waited for
}

// taskKey is an upstream's own name of a task.
type taskKey struct {
	m  *member
	id string
}

// task is one call that has become a task at an upstream.
type task struct {
	m         *member
	principal string
	tool      string // the upstream's name of it
	id        string // the upstream's
	text      string // the clients'
	caps      mcp.ClientCapabilities
	session   *mcp.SessionMeta // nil for clients of 2026-07-28
	token     json.RawMessage  // for progress; nil for none
	link      *link            // that it was begun on; nil if that is not known
	expires   time.Time
	size      int // of the result that the gateway keeps; guarded by taskBook.mu

	mu        sync.Mutex
	last      *taskInfo // nil until it was asked for
	progress  string    // last message
	cancelled bool      // for a session: the task does not change any more
	fixed     bool      // last is final, and the upstream does not know it
	watchers  map[chan struct{}]struct{}
	questions map[string]*taskQuestion
	asked     int
	attending bool
}

// taskQuestion is a question of an upstream of 2025-11-25 that waits for an answer.
type taskQuestion struct {
	request mcp.InputRequest
	told    bool // to a session
	answer  chan taskAnswer
}

// taskAnswer is what a client answers, or why it does not.
type taskAnswer struct {
	raw json.RawMessage
	err error
}

// newTask is a task that is not in the book.
func newTask(m *member, req *mcp.Request, tool, id, text string) *task {
	return &task{
		m: m, principal: req.Peer.Principal, tool: tool, id: id, text: text,
		caps: req.Meta.Capabilities(), session: req.Meta.Session(), expires: time.Now().Add(bookedFor),
	}
}

// adopt returns the task of the same id, and enters t if there is none: a client may
// bring an id of before the gateway was started.
func (b *taskBook) adopt(t *task) *task {
	b.mu.Lock()
	defer b.mu.Unlock()
	if other := b.byText[t.text]; other != nil && other.m == t.m && time.Now().Before(other.expires) {
		return other
	}
	b.add(t)
	return t
}

// enter adds a task. The oldest one makes room, of its principal or of all.
func (b *taskBook) enter(t *task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(t)
}

// add is enter; b.mu is held.
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

// keep counts the result of a task; older results make room.
func (b *taskBook) keep(t *task, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.size = size
	b.kept += size
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

// note remembers what the upstream has told, and reports the state as clients see
// it: a task that a session has cancelled stays so.
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

// fix ends a task at the gateway alone.
func (t *task) fix(info *taskInfo) {
	t.mu.Lock()
	t.end(info)
	t.mu.Unlock()
	t.wake()
}

// end is fix without waking; t.mu is held.
func (t *task) end(info *taskInfo) {
	t.last, t.fixed = info, true
	t.refuse(errors.New("the task has ended"))
}

// seen is the state that was told last, or nil, and whether it is final.
func (t *task) seen() (info *taskInfo, fixed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last, t.fixed
}

// watch returns a channel that holds a token after each change.
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

// ask has a question of the upstream answered by the task's client.
func (t *task) ask(ctx context.Context, q mcp.InputRequest) (json.RawMessage, error) {
	if !isKind(q, t.caps) {
		return nil, mcp.Errorf(mcp.CodeMethodNotFound, "Method not found: the client of the task cannot be asked %s", q.Method)
	}
	one := &taskQuestion{request: q, answer: make(chan taskAnswer, 1)}
	t.mu.Lock()
	if len(t.questions) >= maxQuestions || t.asked >= maxRounds*maxQuestions {
		t.mu.Unlock()
		return nil, mcp.Errorf(mcp.CodeInternal, "Too many questions at once")
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

// open are the questions that wait for answers.
func (t *task) open() map[string]mcp.InputRequest {
	t.mu.Lock()
	defer t.mu.Unlock()
	var open map[string]mcp.InputRequest
	for key, q := range t.questions {
		if open == nil {
			open = make(map[string]mcp.InputRequest)
		}
		request := q.request
		request.Params = json.RawMessage(without(request.Params, "_meta"))
		open[key] = request
	}
	return open
}

// untold returns the questions that no session has been told, and marks them.
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

// retell has questions told again whose session has gone without an answer.
func (t *task) retell(q *taskQuestion) {
	t.mu.Lock()
	q.told = false
	t.mu.Unlock()
	t.wake()
}

// reply answers questions; unknown keys are ignored.
func (t *task) reply(responses map[string]json.RawMessage) error {
	for key, raw := range responses {
		if len(raw) == 0 || raw[0] != '{' {
			return mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: inputResponses[%q] must be an object", brief(key))
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

// refuse ends all questions; t.mu is held.
func (t *task) refuse(why error) {
	for key, q := range t.questions {
		delete(t.questions, key)
		select {
		case q.answer <- taskAnswer{err: mcp.Errorf(mcp.CodeInternal, "%s", why.Error())}:
		default: // it was answered a moment ago
		}
	}
}
