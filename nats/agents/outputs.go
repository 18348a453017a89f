package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// headerOffset is how much of a stream was written before a piece.
	headerOffset = "Dougu-Offset"
	// maxPiece is how long a piece may be, in bytes.
	maxPiece = 256 << 10
	// maxKnown is of how many streams is remembered where their pieces are.
	maxKnown = 1024
)

// outputs implements record.Outputs. The output of an agent is a sequence of messages on a
// subject of the agent, each with its offset. The positions of the messages are cached, and
// extended when another process may have written.
type outputs struct {
	s *Store

	mu    sync.Mutex
	known map[string]*pieces // by subject
	used  []string           // the subjects, the last used one at the end
}

var _ record.Outputs = (*outputs)(nil)

// Outputs returns the output of agents.
func (s *Store) Outputs() record.Outputs { return &s.outputs }

func (s *Store) outputStream() jetstream.Stream { return s.kept().output }

// pieces says where the pieces of a stream are.
type pieces struct {
	subject string

	mu   sync.Mutex
	all  []piece
	size int64 // of all that was ever written, in bytes
	kept int64
	last uint64 // the sequence of the last
}

type piece struct {
	offset   int64
	length   int
	sequence uint64
}

// of finds the pieces of a stream.
func (o *outputs) of(agentID string, stream record.Stream) *pieces {
	subject := o.s.subject("output", kept.Key(agentID), kept.Key(string(stream)))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = make(map[string]*pieces)
	}
	p := o.known[subject]
	if p == nil {
		p = &pieces{subject: subject}
		o.known[subject] = p
		o.used = append(o.used, subject)
		if len(o.used) > maxKnown {
			delete(o.known, o.used[0])
			o.used = o.used[1:]
		}
	} else if i := slices.Index(o.used, subject); i >= 0 && i < len(o.used)-1 {
		o.used = append(slices.Delete(o.used, i, i+1), subject)
	}
	return p
}

// Append implements record.Outputs.
func (o *outputs) Append(ctx context.Context, agentID string, stream record.Stream, data []byte) error {
	doing := "keeping output of the agent " + agentID
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	p := o.of(agentID, stream)
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(data) > 0 {
		n := min(len(data), maxPiece)
		if err := o.append(ctx, doing, p, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	most := o.s.opts.MaxOutput
	if stream == record.Raw {
		most = o.s.opts.MaxRaw
	}
	if p.kept > 2*most {
		return o.trim(ctx, doing, p, most)
	}
	return nil
}

func (o *outputs) append(ctx context.Context, doing string, p *pieces, data []byte) error {
	for {
		m := nats.NewMsg(p.subject)
		m.Header.Set(headerOffset, strconv.FormatInt(p.size, 10))
		m.Data = data
		sequence, err := o.s.put(ctx, doing, o.s.outputStream(), m, p.last)
		switch {
		case err == nil:
			p.add(piece{p.size, len(data), sequence})
			return nil
		case !errors.Is(err, errOvertaken):
			return err
		}
		before := p.last
		if err := o.learn(ctx, doing, p); err != nil {
			return err
		}
		if p.last == before { // NATS has lost known messages
			p.all, p.kept, p.last = nil, 0, 0
		}
		overtaken(ctx)
	}
}

func (p *pieces) add(one piece) {
	p.all = append(p.all, one)
	p.size, p.last = one.offset+int64(one.length), one.sequence
	p.kept += int64(one.length)
	if len(p.all) > mostPieces { // NATS forgets as many
		p.drop(len(p.all) - mostPieces)
	}
}

// drop forgets the oldest.
func (p *pieces) drop(n int) {
	for _, old := range p.all[:n] {
		p.kept -= int64(old.length)
	}
	p.all = append([]piece(nil), p.all[n:]...)
}

// trim removes the oldest pieces beyond the limit.
func (o *outputs) trim(ctx context.Context, doing string, p *pieces, most int64) error {
	n, left := 0, p.kept
	for n < len(p.all)-1 && left-int64(p.all[n].length) >= most {
		left -= int64(p.all[n].length)
		n++
	}
	if n == 0 {
		return nil
	}
	if err := o.s.remove(ctx, doing, o.s.outputStream, p.subject, p.all[n-1].sequence); err != nil {
		return err
	}
	p.drop(n)
	return nil
}

// learn reads where the pieces are that came after the last that is known.
func (o *outputs) learn(ctx context.Context, doing string, p *pieces) error {
	m, err := o.s.latest(ctx, doing, o.s.outputStream, p.subject)
	if err != nil || m == nil || m.Sequence == p.last {
		return err
	}
	if m.Sequence < p.last { // NATS had lost it
		p.all, p.kept, p.last = nil, 0, 0
	}
	var read []piece
	var wrong error
	err = o.s.scan(ctx, doing, o.s.outputStream, part{p.subject, p.last, true}, func(m jetstream.Msg, sequence uint64) {
		offset, err := strconv.ParseInt(m.Headers().Get(headerOffset), 10, 64)
		length, lengthErr := strconv.Atoi(m.Headers().Get(nats.MsgSize))
		wrong = cmp.Or(wrong, err, lengthErr)
		read = append(read, piece{offset, length, sequence})
	})
	if err = cmp.Or(err, wrong); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	for _, one := range read {
		if one.sequence > p.last {
			p.add(one)
		}
	}
	return nil
}

// Output implements record.Outputs.
func (o *outputs) Output(ctx context.Context, agentID string, stream record.Stream, offset int64, length int) (record.Output, error) {
	doing := "reading output of the agent " + agentID
	p := o.of(agentID, stream)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := o.learn(ctx, doing, p); err != nil {
		return record.Output{}, err
	}
	var failed error
	out := record.ReadRange(p.size, offset, length, func(offset int64, n int) ([]byte, int64) {
		data, at, err := o.read(ctx, doing, p, offset, n)
		failed = cmp.Or(failed, err)
		return data, at
	})
	return out, failed
}

// read reads up to n bytes from an offset, or from the first kept byte behind it.
func (o *outputs) read(ctx context.Context, doing string, p *pieces, offset int64, n int) (data []byte, at int64, err error) {
	i, _ := slices.BinarySearchFunc(p.all, offset, func(one piece, offset int64) int {
		return cmp.Compare(one.offset+int64(one.length), offset+1)
	})
	at = p.size
	for ; i < len(p.all) && len(data) < n; i++ {
		one := p.all[i]
		if len(data) > 0 && at+int64(len(data)) != one.offset { // something is missing
			break
		}
		var m *jetstream.RawStreamMsg
		err := o.s.try(ctx, doing, func(ctx context.Context) (err error) {
			m, err = o.s.outputStream().GetMsg(ctx, one.sequence)
			return err
		})
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound) && len(data) == 0: // it is removed meanwhile
			continue
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return data, at, nil
		case err != nil:
			return nil, at, err
		}
		skip := int(min(max(0, offset-one.offset), int64(len(m.Data))))
		if len(data) == 0 {
			at = one.offset + int64(skip)
		}
		data = append(data, m.Data[skip:]...)
	}
	return data[:min(n, len(data))], at, nil
}
