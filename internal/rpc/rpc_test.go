package rpc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
)

func TestMain(m *testing.M) { testleak.Main(m) }

// handler is a peer with a few methods:
//
//	echo    answers its params
//	now     answers on the reader
//	open    stays open, outside the concurrency limit, until it is cancelled
//	block   waits until it is cancelled or released
//	count   sends three notifications, then answers
//	ask     sends a request of its own and answers with the answer
//	panic   panics
//	multi   answers JSON with newlines in it
type handler struct {
	batches, nullID bool

	mu       sync.Mutex
	conn     *rpc.Conn
	notified []string
	started  chan string // method of each request that begins
	release  chan struct{}
	ended    chan error // how blocked calls ended
}

func newHandler() *handler {
	return &handler{started: make(chan string, 1000), release: make(chan struct{}), ended: make(chan error, 1000)}
}

func (h *handler) AllowBatch() bool { return h.batches }
func (h *handler) NullID() bool     { return h.nullID }

func (h *handler) Accept(call *rpc.Call) rpc.Disposition {
	switch call.Method {
	case "now":
		return rpc.Inline
	case "open":
		return rpc.Detached
	}
	return rpc.Queue
}

// begins reports a started request to the test. It drops the report if the channel is full, because a peer that never
// reads starts more requests than the channel holds.
func (h *handler) begins(what string) {
	select {
	case h.started <- what:
	default:
	}
}

func (h *handler) Serve(ctx context.Context, call *rpc.Call, dst []byte) ([]byte, *rpc.Error) {
	h.begins(call.Method)
	switch call.Method {
	case "echo", "now":
		if call.Params == nil {
			return append(dst, "null"...), nil
		}
		return append(dst, call.Params...), nil
	case "hang":
		<-h.release
		return append(dst, `"released"`...), nil
	case "open", "block":
		select {
		case <-ctx.Done():
			h.ended <- context.Cause(ctx)
			_ = call.Notify("too/late", nil)
		case <-h.release:
		}
		return append(dst, `"released"`...), nil
	case "count":
		for i := range 3 {
			if err := call.NotifyProgress("progress", fmt.Appendf(nil, `{"n":%d}`, i), "t"); err != nil {
				return dst, &rpc.Error{Code: 1, Message: err.Error()}
			}
		}
		_ = call.NotifyLog("log", []byte(`{}`))
		h.begins("counted")
		return append(dst, `"counted"`...), nil
	case "ask":
		pending, err := call.Send("question", []byte(`{"q":1}`))
		if err == nil {
			call.Pause()
			defer call.Resume()
			var answer []byte
			if answer, err = pending.Wait(ctx); err == nil {
				return append(dst, answer...), nil
			}
		}
		return dst, &rpc.Error{Code: 2, Message: err.Error(), Data: []byte(`{"why":"asked"}`)}
	case "panic":
		panic("boom")
	case "multi":
		return append(dst, "{\n  \"a\": 1\n}"...), nil
	}
	return dst, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "no " + call.Method}
}

func (h *handler) Notified(m *rpc.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notified = append(h.notified, m.Method+string(m.Params))
	if m.Method == "cancel" {
		h.conn.Cancel(rpc.ID(m.Params[len(`{"id":`) : len(m.Params)-1]))
	}
}

// exchange sends lines to a fresh connection, ends the input, and returns the
// lines that come back.
func exchange(t *testing.T, h *handler, opts rpc.Options, lines ...string) []string {
	t.Helper()
	if opts.Drain == 0 {
		opts.Drain = time.Minute // whatever the machine is busy with
	}
	var out bytes.Buffer
	stream := rpc.NewLines(strings.NewReader(strings.Join(lines, "\n")), &out, nil, 1000)
	h.conn = rpc.NewConn(stream, h, opts)
	if err := h.conn.Run(t.Context()); err != nil {
		t.Fatalf("Run: %v", err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func result(id, value string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + value + `}`
}

func request(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

func TestConn_Responses(t *testing.T) {
	const echo = `"method":"echo"`
	for name, tc := range map[string]struct{ in, want string }{
		"an integer id":                {`{"jsonrpc":"2.0","id":1,` + echo + `}`, result(`1`, `null`)},
		"a negative id":                {`{"jsonrpc":"2.0","id":-7,` + echo + `}`, result(`-7`, `null`)},
		"a string id":                  {`{"jsonrpc":"2.0","id":"1",` + echo + `}`, result(`"1"`, `null`)},
		"an empty string id":           {`{"jsonrpc":"2.0","id":"",` + echo + `}`, result(`""`, `null`)},
		"an id over 2^53":              {`{"jsonrpc":"2.0","id":9007199254740993,` + echo + `}`, result(`9007199254740993`, `null`)},
		"an id of 23 digits":           {`{"jsonrpc":"2.0","id":12345678901234567890123,` + echo + `}`, result(`12345678901234567890123`, `null`)},
		"an escaped id":                {`{"jsonrpc":"2.0","id":"\u0041\n",` + echo + `}`, result(`"\u0041\n"`, `null`)},
		"members in any order":         {`{"params":{"a":[1,2]},"method":"echo","id":1,"jsonrpc":"2.0","extra":{}}`, result(`1`, `{"a":[1,2]}`)},
		"escaped member names":         {`{"jsonrpc":"2.0","\u0069d":5,"m\u0065thod":"ech\u006f"}`, result(`5`, `null`)},
		"null params":                  {`{"jsonrpc":"2.0","id":1,"method":"echo","params":null}`, result(`1`, `null`)},
		"white space":                  {"  {\t\"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"echo\" } \r", result(`1`, `null`)},
		"a result with newlines":       {request(`1`, `multi`), result(`1`, `{   "a": 1 }`)},
		"an error of the handler":      {request(`1`, `nope`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no nope"}}`},
		"a panic of the handler":       {request(`1`, `panic`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error: the handler of panic failed; the server continues"}}`},
		"bad JSON":                     {`{bad json}`, `"code":-32700`},
		"bad JSON after the id":        {`{"jsonrpc":"2.0","id":3,"method":"echo","params":{]}`, `"id":3,"error":{"code":-32700`},
		"two values in one line":       {request(`1`, `echo`) + request(`2`, `echo`), `"code":-32700`},
		"not UTF-8":                    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `"id":1,"error":{"code":-32700`},
		"a string":                     {`"hello"`, `"code":-32600`},
		"a number":                     {`12`, `"code":-32600`},
		"null":                         {`null`, `"code":-32600`},
		"no method":                    {`{"jsonrpc":"2.0","id":1}`, `"id":1,"error":{"code":-32600`},
		"nothing at all":               {`{}`, `"code":-32600`},
		"a method that is no string":   {`{"jsonrpc":"2.0","id":1,"method":5}`, `"id":1,"error":{"code":-32600`},
		"a boolean id":                 {`{"jsonrpc":"2.0","id":true,` + echo + `}`, `{"jsonrpc":"2.0","error":{"code":-32600`},
		"a null id":                    {`{"jsonrpc":"2.0","id":null,` + echo + `}`, `{"jsonrpc":"2.0","error":{"code":-32600`},
		"an object id":                 {`{"jsonrpc":"2.0","id":{},` + echo + `}`, `{"jsonrpc":"2.0","error":{"code":-32600`},
		"a fractional id":              {`{"jsonrpc":"2.0","id":1.5,` + echo + `}`, `{"jsonrpc":"2.0","error":{"code":-32600`},
		"an id with an exponent":       {`{"jsonrpc":"2.0","id":1e3,` + echo + `}`, `{"jsonrpc":"2.0","error":{"code":-32600`},
		"version 1.0":                  {`{"jsonrpc":"1.0","id":1,` + echo + `}`, `"id":1,"error":{"code":-32600`},
		"no version":                   {`{"id":1,` + echo + `}`, `"id":1,"error":{"code":-32600`},
		"scalar params":                {`{"jsonrpc":"2.0","id":1,"method":"echo","params":7}`, `"id":1,"error":{"code":-32600`},
		"a member twice":               {`{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}`, `"code":-32600`},
		"a request with a result":      {`{"jsonrpc":"2.0","id":1,"method":"echo","result":1}`, `"id":1,"error":{"code":-32600`},
		"a batch":                      {`[` + request(`1`, `echo`) + `]`, `"code":-32600`},
		"an empty array":               {`[]`, `"code":-32600`},
		"a broken array":               {`[{]`, `"code":-32700`},
		"over the size limit":          {`{"jsonrpc":"2.0","id":42,"method":"echo","params":{"x":"` + strings.Repeat("x", 2000) + `"}}`, `"id":42,"error":{"code":-32600`},
		"nested too deeply":            {`{"jsonrpc":"2.0","id":1,"method":"echo","params":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, `"id":1,"error":{"code":-32700`},
		"a notification":               {`{"jsonrpc":"2.0","method":"unknown"}`, ``},
		"a response to nothing":        {`{"jsonrpc":"2.0","id":99,"result":{}}`, ``},
		"an error response to nothing": {`{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"m"}}`, ``},
		"an error response without id": {`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`, ``},
		"a malformed response":         {`{"jsonrpc":"2.0","id":99,"result":{},"error":{}}`, ``},
		"an empty line":                {``, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The request after it shows that the connection lives on.
			got := exchange(t, newHandler(), rpc.Options{}, tc.in, request(`"after"`, `now`))
			after := result(`"after"`, `null`)
			if i := slices.Index(got, after); i < 0 {
				t.Fatalf("the connection did not survive: %q", got)
			} else {
				got = slices.Delete(got, i, i+1)
			}
			if tc.want == "" {
				if len(got) != 0 {
					t.Errorf("answered %q, want silence", got)
				}
				return
			}
			if len(got) != 1 || !strings.Contains(got[0], tc.want) {
				t.Errorf("got %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestConn_ErrorWithoutID(t *testing.T) {
	h := newHandler()
	h.nullID = true
	got := exchange(t, h, rpc.Options{}, `{bad`)
	if len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":null,"error":`) {
		t.Errorf("got %q, want an error with a null id", got)
	}
}

func TestConn_Batches(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"requests and a notification": {
			`[` + request(`1`, `now`) + `,{"jsonrpc":"2.0","method":"note"},` + request(`2`, `now`) + `]`,
			`[` + result(`1`, `null`) + `,` + result(`2`, `null`) + `]`,
		},
		"an element that is no message": {
			`[1,` + request(`2`, `now`) + `]`,
			`[{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a message is a JSON object"}},` + result(`2`, `null`) + `]`,
		},
		"notifications alone": {`[{"jsonrpc":"2.0","method":"note"}]`, ``},
		"nothing":             {`[]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a batch must not be empty"}}`},
		"too many":            {`[1,2,3,4]`, `a batch holds at most 3 messages`},
		"a failing request":   {`[` + request(`1`, `nope`) + `]`, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no nope"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandler()
			h.batches = true
			got := strings.Join(exchange(t, h, rpc.Options{BatchLength: 3}, tc.in), "\n")
			if got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// peer is the other end of a connection that stays open.
type peer struct {
	t    *testing.T
	h    *handler
	conn *rpc.Conn
	net  net.Conn
	in   *bufio.Reader
	end  chan error
}

func connect(t *testing.T, h *handler, opts rpc.Options) *peer {
	near, far := net.Pipe()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, opts)
	p := &peer{t: t, h: h, conn: h.conn, net: near, in: bufio.NewReaderSize(near, 1<<20), end: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.end <- h.conn.Run(ctx) }()
	t.Cleanup(func() {
		near.Close()
		cancel()
		<-p.end
	})
	return p
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.net, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) expect(want ...string) {
	p.t.Helper()
	for _, w := range want {
		if got := p.receive(w); got != w {
			p.t.Errorf("got  %s\nwant %s", got, w)
		}
	}
}

// receive returns the next line. want describes it for the failure message.
func (p *peer) receive(want string) string {
	p.t.Helper()
	_ = p.net.SetReadDeadline(time.Now().Add(time.Minute))
	got, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatalf("waiting for %s: %v", want, err)
	}
	return strings.TrimSpace(got)
}

// untilTaken sends a request until it is not refused: a cancelled call releases its id and its slot some time after
// the end of its context. It returns the last responses.
func (p *peer) untilTaken(line, refusal string) []string {
	p.t.Helper()
	after := result(`"after"`, `null`)
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		p.send(line, request(`"after"`, `now`))
		var got []string
		for answer := p.receive(after); answer != after; answer = p.receive(after) {
			got = append(got, answer)
		}
		for len(p.h.started) > 0 {
			<-p.h.started
		}
		if len(got) == 0 || !strings.Contains(got[0], refusal) {
			return got
		}
	}
	p.t.Fatalf("%s is refused for a minute: %s", line, refusal)
	return nil
}

func TestConn_CancelledCall(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	p.send(request(`1`, `block`))
	<-h.started
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
	if err := <-h.ended; err != rpc.ErrCancelled {
		t.Errorf("the context ended with %v", err)
	}
	// Neither the late notification nor the result of the cancelled call comes,
	// and its id may be used again.
	p.send(request(`"x"`, `now`))
	p.expect(result(`"x"`, `null`))
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":77}}`)
	if got := p.untilTaken(request(`1`, `now`), "still running"); !slices.Equal(got, []string{result(`1`, `null`)}) {
		t.Errorf("the id of a cancelled call, used again: %q", got)
	}
}

func TestConn_CancelledCallInBatch(t *testing.T) {
	h := newHandler()
	h.batches = true
	p := connect(t, h, rpc.Options{})
	p.send(`[` + request(`1`, `block`) + `,` + request(`2`, `now`) + `]`)
	<-h.started
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
	p.expect(`[` + result(`2`, `null`) + `]`)
}

func TestConn_DuplicateID(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	p.send(request(`1`, `block`))
	<-h.started
	p.send(request(`1`, `echo`))
	p.expect(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id 1 belongs to a request that is still running"}}`)
	close(h.release)
	p.expect(result(`1`, `"released"`))
}

func TestConn_NotificationsBeforeResult(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	for range 50 {
		p.send(request(`1`, `count`))
		p.expect(`{"jsonrpc":"2.0","method":"progress","params":{"n":0}}`, `{"jsonrpc":"2.0","method":"progress","params":{"n":1}}`,
			`{"jsonrpc":"2.0","method":"progress","params":{"n":2}}`, `{"jsonrpc":"2.0","method":"log","params":{}}`, result(`1`, `"counted"`))
	}
}

func TestConn_ConcurrencyLimit(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{Concurrency: 2, QueueLength: 3})
	for i := range 5 {
		p.send(request(fmt.Sprint(i), `block`))
	}
	p.send(request(`"no room"`, `block`), request(`"ping"`, `now`))
	p.expect(`{"jsonrpc":"2.0","id":"no room","error":{"code":-32603,"message":"The server is busy: 2 requests are running and 3 are waiting; send this one again when others are answered"}}`,
		result(`"ping"`, `null`))
	begun := []string{<-h.started, <-h.started, <-h.started}
	if want := []string{"block", "block", "now"}; len(h.started) != 0 || len(begun) != 3 || !slices.Contains(begun, "now") {
		t.Errorf("%v and %d more began, want %v", begun, len(h.started), want)
	}
	close(h.release)
	got := make(map[string]bool)
	for range 5 {
		line, err := p.in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		got[line] = true
	}
	if len(got) != 5 {
		t.Errorf("answers: %v", got)
	}
}

func TestConn_DetachedLimit(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{Detached: 2})
	p.send(request(`1`, `open`), request(`2`, `open`), request(`3`, `open`))
	p.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"The server is busy: 2 requests of this kind are open; end one of them first"}}`)
	// A call that is cancelled before it begins never reaches its handler.
	<-h.started
	<-h.started
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
	<-h.ended
	if got := p.untilTaken(request(`4`, `open`), "busy"); len(got) != 0 {
		t.Errorf("a request in the place of the one that was cancelled: %q", got)
	}
}

func TestConn_QueueBytesLimit(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{Concurrency: 1, QueueBytes: 100})
	p.send(request(`1`, `block`))
	<-h.started
	p.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":{"x":"` + strings.Repeat("x", 200) + `"}}`)
	line, err := p.in.ReadString('\n')
	if err != nil || !strings.Contains(line, `"id":2,"error":{"code":-32603`) {
		t.Errorf("got %q, %v; want a refusal", line, err)
	}
	close(h.release)
	p.expect(result(`1`, `"released"`))
}

// More handlers ask than may run at once; their answers can only come if none
// of them holds its place while it waits.
func TestConn_HandlersWaitForResponses(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{Concurrency: 2})
	const calls = 20
	for i := range calls {
		p.send(request(fmt.Sprintf(`"c%d"`, i), `ask`))
	}
	var questions []string
	for range calls {
		line, err := p.in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		m, _ := rpc.Parse([]byte(line))
		if m.Method != "question" {
			t.Fatalf("got %s before every question was asked", line)
		}
		questions = append(questions, string(m.ID))
	}
	for _, id := range questions {
		p.send(result(id, `{"a":`+id+`}`))
	}
	for range calls {
		line, err := p.in.ReadString('\n')
		if err != nil || !strings.Contains(line, `"result":{"a":`) {
			t.Fatalf("got %q, %v", line, err)
		}
	}
}

func TestCall_ErrorResponse(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	for _, tc := range []struct{ answer, want string }{
		{`"error":{"code":-1,"message":"no"}`, `no (code -1)`},
		{`"error":{"code":"x"}`, `the peer sent a malformed error object (code -32603)`},
		{`"error":{"code":-32042,"message":"m","data":[1]}`, `m (code -32042)`},
		{`"error":7`, `the peer's response is malformed: Invalid request: the member \"error\" must be an object (code -32603)`},
		{`"result":1,"error":{}`, `the peer's response is malformed: Invalid request: a response has either \"result\" or \"error\" (code -32603)`},
	} {
		p.send(request(`"c"`, `ask`))
		line, err := p.in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		m, _ := rpc.Parse([]byte(line))
		p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + tc.answer + `}`)
		p.expect(`{"jsonrpc":"2.0","id":"c","error":{"code":2,"message":"` + tc.want + `","data":{"why":"asked"}}}`)
	}
}

// Whether an answer or the end of the context is seen, when both are there, is
// no matter of chance.
func TestCall_ResponseBeforeContextEnd(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	for range 20 {
		pending, err := p.conn.Send("question", nil)
		if err != nil {
			t.Fatal(err)
		}
		p.receive("the question")
		p.send(result(string(pending.ID), `"yes"`), request(`"x"`, `now`))
		p.expect(result(`"x"`, `null`)) // the answer was read before
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := pending.Wait(ctx); string(got) != `"yes"` || err != nil {
			t.Fatalf("got %s, %v", got, err)
		}
	}
}

func TestConn_EndOfInput(t *testing.T) {
	t.Run("what ends in time is answered", func(t *testing.T) {
		h := newHandler()
		go func() {
			<-h.started
			close(h.release)
		}()
		if got := exchange(t, h, rpc.Options{}, request(`1`, `block`)); len(got) != 1 || got[0] != result(`1`, `"released"`) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("what does not is cancelled", func(t *testing.T) {
		h := newHandler()
		exchange(t, h, rpc.Options{Drain: 10 * time.Millisecond}, request(`1`, `block`))
		h.expectClosed(t)
	})
	t.Run("what stays open is cancelled at once", func(t *testing.T) {
		h := newHandler()
		exchange(t, h, rpc.Options{Drain: time.Hour}, request(`1`, `open`))
		h.expectClosed(t)
	})
	t.Run("who asks is told", func(t *testing.T) {
		got := exchange(t, newHandler(), rpc.Options{}, request(`1`, `ask`))
		if len(got) == 0 || !strings.Contains(got[len(got)-1], `the connection is closed`) {
			t.Errorf("got %q", got)
		}
	})
}

// The end of the last input bounds the time that requests and the peer have, and takes no answer from a peer that reads.
func TestConn_LastInput(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		after  time.Duration // the call ends by itself; 0: never
		reads  bool
		most   time.Duration
		want   string
	}{
		"a hung call, and the peer reads nothing": {method: "hang", most: 550 * time.Millisecond},
		"the peer reads nothing":                  {method: "echo", most: 550 * time.Millisecond},
		"a hung call":                             {method: "hang", reads: true, most: 350 * time.Millisecond},
		"a call that ends in time":                {method: "hang", after: 240 * time.Millisecond, reads: true, most: 240 * time.Millisecond, want: result(`1`, `"released"`) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHandler()
				if c.after > 0 {
					time.AfterFunc(c.after, func() { close(h.release) })
				}
				in, input := io.Pipe()
				output, out := io.Pipe()
				h.conn = rpc.NewConn(rpc.NewLines(in, out, func() error { return errors.Join(in.Close(), out.Close()) }, 0), h, rpc.Options{LastInput: true, Hurried: true})
				var peer group.Group
				var got []byte
				if c.reads {
					peer.Go(func() { got, _ = io.ReadAll(output) })
				}
				peer.Go(func() {
					_, _ = io.WriteString(input, request(`1`, c.method)+"\n")
					synctest.Wait()
					_ = input.Close()
				})
				began := time.Now()
				_ = h.conn.Run(t.Context()) // output that was not read may be an error
				if took := time.Since(began); took > c.most {
					t.Errorf("it has taken %v", took)
				}
				peer.Wait()
				if string(got) != c.want {
					t.Errorf("the peer has read %q, want %q", got, c.want)
				}
				if c.after == 0 {
					close(h.release)
				}
			})
		})
	}
}

// expectClosed checks how the one call of a connection that has ended was
// ended, if it had come to begin. Where it has not ended yet it was told to.
func (h *handler) expectClosed(t *testing.T) {
	t.Helper()
	select {
	case <-h.started:
	default:
		return // it was ended before
	}
	select {
	case err := <-h.ended:
		if err != rpc.ErrClosed {
			t.Errorf("the call ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the call was not ended")
	}
}

func TestConn_ContextEnds(t *testing.T) {
	h := newHandler()
	near, far := net.Pipe()
	defer near.Close()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, rpc.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan error, 1)
	go func() { end <- h.conn.Run(ctx) }()
	cancel()
	if err := <-end; err != nil {
		t.Errorf("Run: %v", err)
	}
	if _, err := h.conn.Send("late", nil); !errors.Is(err, rpc.ErrNotSent) || !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("Send after the end: %v", err)
	}
}

// A peer that sends and never reads is given up, and until then it neither
// blocks the reader for ever nor makes the process grow without bound.
func TestConn_StalledPeer(t *testing.T) {
	h := newHandler()
	near, far := net.Pipe()
	defer near.Close()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, rpc.Options{Stall: 50 * time.Millisecond, Backlog: 1000, Drain: time.Millisecond})
	end := make(chan error, 1)
	go func() { end <- h.conn.Run(t.Context()) }()
	go func() {
		for {
			if _, err := io.WriteString(near, request(`1`, `now`)+"\n"); err != nil {
				return
			}
		}
	}()
	if err := <-end; err == nil || !strings.Contains(err.Error(), "stopped reading") {
		t.Errorf("Run: %v, want the peer to be given up", err)
	}
}

func TestConn_SlowPeer(t *testing.T) {
	h := newHandler()
	p := connect(t, h, rpc.Options{})
	p.send(request(`1`, `block`))
	<-h.started
	big := []byte(`"` + strings.Repeat("x", 200<<10) + `"`)
	for i := range 3 {
		if err := p.conn.Notify("big", big); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			continue
		}
		if _, err := io.ReadFull(p.net, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	// The writer is in the middle of the first of them: the backlog is over the
	// soft limit and stays so.
	p.send(request(`2`, `count`), request(`3`, `now`))
	for len(h.started) < 3 { // both have begun, and the first has said all
		time.Sleep(time.Millisecond)
	}
	var methods []string
	for len(methods) == 0 || !strings.Contains(methods[len(methods)-1], `counted`) {
		line, err := p.in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, line[:min(len(line), 70)])
	}
	text := strings.Join(methods, "")
	if strings.Count(text, `"method":"big"`) != 3 || strings.Count(text, `"progress"`) != 1 || !strings.Contains(text, `{"n":2}`) {
		t.Errorf("got\n%s\nwant the newest progress alone, and everything else", text)
	}
	dropped := 0
	for dropped == 0 { // it is told once the backlog is gone
		time.Sleep(time.Millisecond)
		dropped = p.conn.DroppedLogs()
	}
	if strings.Contains(text, `"method":"log"`) || dropped != 1 || p.conn.DroppedLogs() != 0 {
		t.Error("a log message was not dropped and counted once")
	}
	if err := p.conn.NotifyLog("log", nil); err != nil {
		t.Error(err)
	}
	close(h.release)
}

func TestConn_FailingStreams(t *testing.T) {
	h := newHandler()
	h.conn = rpc.NewConn(rpc.NewLines(strings.NewReader(request(`1`, `now`)+"\n"), brokenWriter{}, nil, 0), h, rpc.Options{})
	if err := h.conn.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("Run on a broken writer: %v", err)
	}
	h = newHandler()
	h.conn = rpc.NewConn(rpc.NewLines(brokenReader{}, io.Discard, nil, 0), h, rpc.Options{})
	if err := h.conn.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("Run on a broken reader: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("broken") }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, fmt.Errorf("broken") }
