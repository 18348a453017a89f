package dap

import (
	"encoding/json"
	"io"

	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// Hear reads all messages and reports whether they answer request 1.
func Hear(in io.Reader, limit int, event func(string, json.RawMessage)) (settled bool, err error) {
	s := &Session{c: Config{MaxMessage: limit, Event: event}, queue: make(chan []byte, maxQueued), pending: make(map[int]chan answer), life: childrpc.NewLife("x"), done: make(chan struct{})}
	close(s.done)
	p := &Pending{s: s, command: "x", seq: 1, answers: make(chan answer, 1)}
	s.pending[1] = p.answers
	s.read(in)
	return p.Answered(), s.life.Failure()
}
