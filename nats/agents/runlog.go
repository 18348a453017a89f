package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// The log of a run consists of the messages on its subject. The executor writes the order,
// a cancellation, and another order or a fence when the lease of the runner has expired. The
// runner writes everything else. A writer names the last message that it has read, and NATS
// refuses the new one if there are later messages: the writer then reads on before it writes
// again, or has lost the run.
const (
	headerKind = "Dougu-Kind"

	kindOrder  = "order"  // order
	kindClaim  = "claim"  // claim
	kindEvents = "events" // []wireEvent
	kindBeat   = "beat"   // nothing
	kindCancel = "cancel" // a reason
	kindFence  = "fence"  // nothing
	kindEnd    = "end"    // end
)

// order is the message that describes a run.
type order struct {
	Program string        `json:"program"`
	Attempt int           `json:"attempt"`
	Owner   string        `json:"owner"` // the server that reads the log
	Lease   time.Duration `json:"lease"`
	Spec    executor.Spec `json:"spec"`
}

// claim is the message of the runner that takes a run.
type claim struct {
	Runner string `json:"runner"`
}

// end is the message about the end of a run.
type end struct {
	Exit executor.Exit `json:"exit"`
	// Cause is the cause of the exit. Error is the text and Why the kind of the error of a run that was not started.
	Cause string `json:"cause,omitempty"`
	Error string `json:"error,omitempty"`
	Why   string `json:"why,omitempty"`
	// Stopped says that the runner was stopped, and the agent with it.
	Stopped bool `json:"stopped,omitempty"`
}

// causes are the errors that keep their identity over NATS, by the name in end.Why.
var causes = map[string]error{
	"unavailable": executor.ErrUnavailable, "unauthenticated": executor.ErrUnauthenticated, "model": executor.ErrUnknownModel, "lost": executor.ErrLost,
}

func causeName(err error) string {
	for name, cause := range causes {
		if errors.Is(err, cause) {
			return name
		}
	}
	return ""
}

// runLog is the log of a run, as far as it was read or written.
type runLog struct {
	s       *Store
	subject string
	last    uint64 // the sequence of the last message that is known
	before  uint64 // that of the one before
}

func (s *Store) runStream() jetstream.Stream { return s.kept().runs }

// add adds a message: errOvertaken if another has come before.
func (l *runLog) add(ctx context.Context, kind string, v any) error {
	m, err := l.message(kind, v)
	if err != nil {
		return err
	}
	return l.put(ctx, m)
}

func (l *runLog) message(kind string, v any) (*nats.Msg, error) {
	m := nats.NewMsg(l.subject)
	m.Header.Set(headerKind, kind)
	if v != nil {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("writing to the log of a run: %w", err)
		}
		m.Data = data
	}
	return m, nil
}

// put adds a message, which may be tried again.
func (l *runLog) put(ctx context.Context, m *nats.Msg) error {
	seq, err := l.s.put(ctx, "writing to the log of a run", l.s.runStream(), m, l.last)
	if err == nil {
		l.before, l.last = l.last, seq
	}
	return err
}

// next reads the next message, nil if there is none.
func (l *runLog) next(ctx context.Context) (m *jetstream.RawStreamMsg, err error) {
	err = l.s.once(ctx, func(ctx context.Context) error {
		m, err = l.s.runStream().GetMsg(ctx, l.last+1, jetstream.WithGetMsgSubject(l.subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	if err != nil {
		return nil, l.s.conn.Failed("reading the log of a run", err)
	}
	if m != nil {
		l.before, l.last = l.last, m.Sequence
	}
	return m, nil
}

// lost reports whether NATS has nothing of the log any more.
func (l *runLog) lost(ctx context.Context) (bool, error) {
	m, err := l.s.latest(ctx, "looking for the log of a run", l.s.runStream, l.subject)
	return m == nil, err
}

// trim removes all read messages but the last two, in which a writer without a response
// looks for its message.
func (l *runLog) trim(ctx context.Context) {
	if l.before > 0 {
		_ = l.s.remove(ctx, "trimming the log of a run", l.s.runStream, l.subject, l.before-1) // else later
	}
}
