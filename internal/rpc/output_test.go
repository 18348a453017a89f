package rpc_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
)

// A connection on which nothing happens has no goroutine that writes; the next
// message brings one back.
func TestConn_IdleHasNoWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := connect(t, newHandler(), rpc.Options{})
		for range 3 {
			p.send(request(`1`, `now`))
			p.expect(result(`1`, `null`))
			if !writing() {
				t.Error("the writer is gone at once")
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if writing() {
				t.Error("the writer is still there")
			}
		}
	})
}

// writing reports whether a goroutine writes, or waits for something to.
func writing() bool {
	stacks := make([]byte, 1<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("rpc.(*output).run("))
}

func TestConn_SendAfterEnd(t *testing.T) {
	h := newHandler()
	near, far := net.Pipe()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, rpc.Options{Drain: time.Millisecond})
	near.Close()
	if err := h.conn.Run(t.Context()); err != nil {
		t.Errorf("Run: %v", err)
	}
	if err := h.conn.Notify("late", nil); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("a notification after the end: %v", err)
	}
}

// faulty is a Stream that panics.
type faulty struct {
	reading bool // panics, or writing does
	frame   chan string
}

func (f faulty) Read() ([]byte, error) {
	if f.reading {
		panic("cannot read")
	}
	return []byte(<-f.frame), nil
}

func (f faulty) Write([]byte) error { panic("cannot write") }
func (f faulty) Close() error       { return nil }

func TestConn_StreamPanics(t *testing.T) {
	for _, f := range []faulty{{reading: true}, {frame: make(chan string, 1)}} {
		if f.frame != nil {
			f.frame <- request(`1`, `now`)
			defer close(f.frame)
		}
		h := newHandler()
		h.conn = rpc.NewConn(f, h, rpc.Options{Drain: time.Millisecond})
		if err := h.conn.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("Run: %v", err)
		}
	}
}

// A request that certainly did not reach the peer can be told from one that may
// have.
func TestCall_Sent(t *testing.T) {
	h := newHandler()
	near, far := net.Pipe()
	h.conn = rpc.NewConn(rpc.NewLines(far, far, far.Close, 0), h, rpc.Options{Drain: time.Millisecond})
	end := make(chan error, 1)
	go func() { end <- h.conn.Run(t.Context()) }()
	sent, err := h.conn.Send("question", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(make([]byte, 100)); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	near.Close()
	if _, err := sent.Wait(t.Context()); !errors.Is(err, rpc.ErrClosed) || errors.Is(err, rpc.ErrNotSent) {
		t.Errorf("a request that was sent: %v", err)
	}
	<-end
	if _, err := h.conn.Reserve(); !errors.Is(err, rpc.ErrNotSent) {
		t.Errorf("a request after the end: %v", err)
	}
}
