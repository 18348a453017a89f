package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

const (
	// maxQueued is how many messages wait to be written. An adapter that reads nothing holds callers up until their time is over.
	maxQueued = 64
	// maxPending is how many requests may wait for their answers.
	maxPending = 1000
)

// errTooMany is an adapter that owes too many answers.
var errTooMany = fmt.Errorf("%d requests are not answered yet", maxPending)

// reverse are the requests that adapters make, which are refused: programs run without a terminal, and one session debugs one program.
var reverse = []string{"runInTerminal", "startDebugging"}

// read processes messages of the adapter until the end of the stream.
func (s *Session) read(in io.Reader) {
	frames := frame.NewReader(in, s.c.MaxMessage)
	for {
		body, err := frames.Read()
		if err != nil {
			s.life.Fail(err)
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			s.life.Fail(fmt.Errorf("a message that is none: %q", truncate.Line(string(body), 80)))
			return
		}
		switch m.Type {
		case typeResponse:
			s.settle(&m)
		case typeEvent:
			s.c.Event(m.Event, m.Body)
		case typeRequest:
			s.refuse(&m)
		default:
			s.life.Fail(fmt.Errorf("a message of the type %q", truncate.Cut(m.Type, 40)))
			return
		}
	}
}

// settle passes an answer to its call. Late and unrequested answers are dropped.
func (s *Session) settle(m *message) {
	s.mu.Lock()
	waiting := s.pending[m.RequestSeq]
	delete(s.pending, m.RequestSeq)
	s.mu.Unlock()
	if waiting != nil {
		waiting <- answered(m)
	}
}

// refuse answers a request of the adapter.
func (s *Session) refuse(m *message) {
	why := "is not supported"
	if slices.Contains(reverse, m.Command) {
		why = "is not possible: programs run without a terminal, one in a session"
	}
	no := false
	data, err := (&message{Seq: s.number(), Type: typeResponse, RequestSeq: m.Seq, Command: m.Command, Success: &no, Message: m.Command + " " + why}).encode()
	if err != nil {
		return
	}
	select {
	case s.queue <- data:
	default:
		s.life.Fail(errors.New("it asks faster than it reads"))
	}
}

// write sends queued messages until the end of the session.
func (s *Session) write(out io.Writer) {
	for {
		select {
		case data := <-s.queue:
			if _, err := out.Write(data); err != nil {
				s.life.Fail(&childrpc.WriteError{Text: "it no longer reads", Err: err})
				return
			}
		case <-s.life.Failing():
			return
		}
	}
}

func (s *Session) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq
}
