package tasks

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/mcp/tasks"
)

// The fields of a task without its data are headers of its message, so that a scan of many
// tasks is cheap. Texts of clients are encoded.
const (
	headerID        = "Dougu-Task"
	headerPrincipal = "Dougu-Principal"
	headerOwner     = "Dougu-Owner"
	headerVersion   = "Dougu-Version"
	headerEnded     = "Dougu-Ended"
	headerCreated   = "Dougu-Created"
	headerExpires   = "Dougu-Expires"
	headerUntil     = "Dougu-Until"
)

const (
	// maxName is the limit of ids and names of owners, and maxPrincipal the limit of names
	// of principals, in bytes.
	maxName      = 512
	maxPrincipal = 4 << 10
)

// fits says why a task cannot be kept, if it cannot.
func (s *Store) fits(r *tasks.Record) error {
	switch room := s.room(); {
	case r.ID == "":
		return errors.New("a task needs an id")
	case len(r.ID) > maxName || len(r.Owner) > maxName:
		return fmt.Errorf("the id of the task has %d bytes and its owner's name %d; each may have %d", len(r.ID), len(r.Owner), maxName)
	case len(r.Principal) > maxPrincipal:
		return fmt.Errorf("the name of the task's principal has %d bytes; it may have %d", len(r.Principal), maxPrincipal)
	case len(r.Data) > room:
		return fmt.Errorf("the task has %d bytes, of which NATS may keep %d (its max_payload can be raised): %w", len(r.Data), room, tasks.ErrFull)
	}
	return nil
}

// message is how a task is kept.
func message(subject string, r *tasks.Record) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = r.Data
	m.Header.Set(headerID, encode(r.ID))
	m.Header.Set(headerPrincipal, encode(r.Principal))
	m.Header.Set(headerOwner, encode(r.Owner))
	m.Header.Set(headerVersion, strconv.FormatInt(r.Version, 10))
	m.Header.Set(headerEnded, strconv.FormatBool(r.Ended))
	m.Header.Set(headerCreated, millis(r.Created))
	m.Header.Set(headerExpires, millis(r.Expires))
	return m
}

// recordOf decodes a message that message has encoded.
func recordOf(header nats.Header, data []byte) (tasks.Record, error) {
	in := reader{header: header}
	r := tasks.Record{
		ID: in.text(headerID), Principal: in.text(headerPrincipal), Owner: in.text(headerOwner),
		Version: in.number(headerVersion), Ended: header.Get(headerEnded) == "true",
		Created: in.time(headerCreated), Expires: in.time(headerExpires), Data: data,
	}
	if in.err != nil {
		return tasks.Record{}, fmt.Errorf("reading a task: %w", in.err)
	}
	return r, nil
}

// reader reads headers, and remembers that one was not in order.
type reader struct {
	header nats.Header
	err    error
}

func (in *reader) text(name string) string {
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(in.header.Get(name), "="))
	in.failed(name, err)
	return string(text)
}

func (in *reader) number(name string) int64 {
	n, err := strconv.ParseInt(in.header.Get(name), 10, 64)
	in.failed(name, err)
	return n
}

func (in *reader) time(name string) time.Time { return time.UnixMilli(in.number(name)).UTC() }

func (in *reader) failed(name string, err error) {
	if err != nil && in.err == nil {
		in.err = fmt.Errorf("its header %s: %w", name, err)
	}
}

// encode encodes a text of any bytes, possibly none, as a header that is not empty.
func encode(text string) string { return "=" + base64.RawURLEncoding.EncodeToString([]byte(text)) }

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
