package sessions

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// partsHeader marks a message whose data is in several others. Its value is their
	// subject and number.
	partsHeader = "Dougu-Parts"
	// room is the size of a message without its data, in bytes.
	room = 4 << 10
	// maxParts is the limit of parts of one message.
	maxParts = 4096
)

// pack puts data into a message, or, when NATS takes no message as long as that,
// keeps it in parts and refers to them. data is not needed afterwards.
func (s *Store) pack(ctx context.Context, of string, m *nats.Msg, data []byte) error {
	most := max(int(s.nc.MaxPayload())-room, 512)
	if len(data) <= most {
		m.Data = data
		return nil
	}
	subject, n := s.subject("part."+of+"."+rand.Text()), 0
	for part := range slices.Chunk(data, most) {
		if _, err := s.js.Publish(ctx, subject+"."+strconv.Itoa(n), part, jetstream.WithRetryAttempts(0)); err != nil {
			return s.failed("keeping a part of a long message", err)
		}
		n++
	}
	if m.Header == nil {
		m.Header = make(nats.Header)
	}
	m.Header.Set(partsHeader, subject+" "+strconv.Itoa(n))
	return nil
}

// unpack returns the data of a packed message.
func (s *Store) unpack(ctx context.Context, header nats.Header, data []byte) ([]byte, error) {
	value := header.Get(partsHeader)
	if value == "" {
		return data, nil
	}
	subject, count, _ := strings.Cut(value, " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxParts || !strings.HasPrefix(subject, s.subject("part.")) {
		return nil, fmt.Errorf("a long message refers to the parts %.100q, which cannot be", value)
	}
	_, kept := s.streams()
	var all bytes.Buffer
	for i := range n {
		part, err := kept.GetLastMsgForSubject(ctx, subject+"."+strconv.Itoa(i))
		if err != nil {
			return nil, s.lost(err)
		}
		all.Write(part.Data)
	}
	return all.Bytes(), nil
}

// drop drops the parts of a message that is not needed any more; otherwise they
// go when they are old.
func (s *Store) drop(ctx context.Context, header nats.Header) {
	subject, _, ok := strings.Cut(header.Get(partsHeader), " ")
	if _, kept := s.streams(); ok && strings.HasPrefix(subject, s.subject("part.")) {
		if err := kept.Purge(ctx, jetstream.WithPurgeSubject(subject+".>")); err != nil {
			s.opts.Log.Debug("the parts of a long message could not be dropped", "error", err)
		}
	}
}
