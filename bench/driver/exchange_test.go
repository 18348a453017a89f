package driver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
)

// peer responds to requests over pipes. answer returns the response to a line.
func peer(t *testing.T, answer func(line string) string) link {
	t.Helper()
	in, toPeer := io.Pipe()
	fromPeer, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			if _, err := io.WriteString(out, answer(scanner.Text())); err != nil {
				return
			}
		}
		out.Close()
	}()
	abort := func() {
		toPeer.Close()
		fromPeer.Close()
	}
	t.Cleanup(func() {
		abort()
		<-ended
	})
	return link{in: toPeer, out: newLines(fromPeer), abort: abort}
}

func echo(line string) string {
	var request struct{ ID int }
	if err := json.Unmarshal([]byte(line), &request); err != nil {
		return "not a request\n"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"ok":true}}`+"\n", request.ID)
}

func wantOK(result json.RawMessage) error {
	if string(result) != `{"ok":true}` {
		return errors.New("it should be ok")
	}
	return nil
}

func newExchange(t *testing.T, calls, inFlight int) exchange {
	t.Helper()
	r, err := newRequest("test", map[string]string{"text": "<a & b>"})
	if err != nil {
		t.Fatal(err)
	}
	return exchange{request: r, first: firstID + 500, calls: calls, inFlight: inFlight, every: 1}
}

func TestExchange_AllCalls(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ calls, inFlight int }{{1, 1}, {1, 16}, {100, 1}, {100, 16}, {7, 16}} {
		x := newExchange(t, size.calls, size.inFlight)
		answers, err := x.run(t.Context(), peer(t, echo))
		if err != nil {
			t.Fatalf("%+v: %v", size, err)
		}
		if len(answers) != size.calls {
			t.Errorf("%+v: kept %d answers", size, len(answers))
		}
		if err := x.verify(answers, wantOK); err != nil {
			t.Errorf("%+v: %v", size, err)
		}
	}
}

func TestExchange_InFlightLimit(t *testing.T) {
	t.Parallel()
	const inFlight = 4
	x := newExchange(t, 200, inFlight)
	var unanswered, most atomic.Int64
	l := peer(t, echo)
	in, out := l.in, l.out.(*lines).r
	l.in = writerFunc(func(p []byte) (int, error) {
		now := unanswered.Add(int64(strings.Count(string(p), "\n")))
		most.Store(max(most.Load(), now))
		return in.Write(p)
	})
	l.out = newLines(readerFunc(func(p []byte) (int, error) {
		n, err := out.Read(p)
		unanswered.Add(-int64(strings.Count(string(p[:n]), "\n")))
		return n, err
	}))
	if _, err := x.run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if most.Load() > inFlight {
		t.Errorf("%d calls were unanswered at a time, want %d at most", most.Load(), inFlight)
	}
}

func TestExchange_Sampling(t *testing.T) {
	t.Parallel()
	const odd = firstID + 500 + 33
	l := peer(t, func(line string) string {
		if strings.Contains(line, fmt.Sprint(odd)) {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"busy"}}`+"\n", odd)
		}
		return echo(line)
	})
	x := newExchange(t, 100, 8)
	x.every, x.usual = 25, len(echo(string(x.request.line)))-1
	answers, err := x.run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 5 {
		t.Errorf("kept %d answers, want every 25th of 100 and the odd one", len(answers))
	}
	if err := x.verify(answers, wantOK); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("verify said %v, want the refusal", err)
	}
}

func TestExchange_InvalidAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func(string) string
		want   string
	}{
		{"an answer is no JSON", func(string) string { return "what?\n" }, "read the answer"},
		{"an answer is a notification", func(string) string { return `{"jsonrpc":"2.0","method":"notifications/message"}` + "\n" }, "no answer"},
		{"an answer is wrong", func(l string) string { return strings.Replace(echo(l), "true", "false", 1) }, "should be ok"},
		{"an answer comes to no call", func(l string) string { return strings.Replace(echo(l), `"id":`, `"id":9`, 1) }, "identifier"},
		{"every answer is the same", func(string) string { return echo(fmt.Sprintf(`{"id":%d}`, firstID+500)) }, "answered twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			x := newExchange(t, 20, 4)
			answers, err := x.run(t.Context(), peer(t, test.answer))
			if err == nil {
				err = x.verify(answers, wantOK)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestExchange_TooManyMessages(t *testing.T) {
	t.Parallel()
	l := peer(t, func(l string) string { return echo(l) + echo(l) })
	if _, err := newExchange(t, 1, 1).run(t.Context(), l); err == nil || !strings.Contains(err.Error(), "2 messages came back from 1 calls") {
		t.Errorf("got %v, want a word about the second message", err)
	}
}

func TestExchange_PeerEnds(t *testing.T) {
	t.Parallel()
	in, toPeer := io.Pipe()
	in.Close()
	ended := link{in: toPeer, out: newLines(strings.NewReader("")), abort: func() {}}
	if _, err := newExchange(t, 20, 4).run(t.Context(), ended); err == nil {
		t.Error("calls to a peer that has ended succeeded")
	}
}

func TestExchange_ContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l := peer(t, func(string) string { cancel(); return "" })
	if _, err := newExchange(t, 20, 4).run(ctx, l); err == nil {
		t.Error("calls that were cancelled and never answered succeeded")
	}
}

func TestExchange_IDLimit(t *testing.T) {
	t.Parallel()
	x := newExchange(t, lastID, 4)
	if _, err := x.run(t.Context(), peer(t, echo)); err == nil {
		t.Error("more calls than identifiers were accepted")
	}
}

func TestNewRequest_NoHTMLEscapes(t *testing.T) {
	t.Parallel()
	x := newExchange(t, 1, 1)
	const want = `{"jsonrpc":"2.0","id":1000000,"method":"test","params":{"text":"<a & b>"}}` + "\n"
	if got := string(x.request.line); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	bytes, n := newBurst(x.request, 3).next(2345678, 2)
	if want := strings.Replace(want, "1000000", "2345678", 1) + strings.Replace(want, "1000000", "2345679", 1); n != 2 || string(bytes) != want {
		t.Errorf("got %d requests %s, want %s", n, bytes, want)
	}
	if _, err := newRequest("test", func() {}); err == nil {
		t.Error("parameters that are no JSON were accepted")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
