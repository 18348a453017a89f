package agents

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// headerMade is the sequence of the first message of a record, by which all
	// have their order; the first has none.
	headerMade = "Dougu-Made"
	// headerPacked says how a message is compressed.
	headerPacked = "Dougu-Packed"
)

const (
	// packFrom is how long a record is that is compressed.
	packFrom = 64 << 10
	// maxRecord is how long a record may be once it is unpacked.
	maxRecord = 64 << 20
)

// agentRecord is how an agent is kept.
type agentRecord struct {
	record.Agent
	Timeout time.Duration `json:"timeout,omitempty"`
}

// message is how a record is kept.
func message(subject string, v any) (*nats.Msg, error) {
	m := nats.NewMsg(subject)
	var err error
	if m.Data, err = json.Marshal(v); err != nil {
		return nil, err
	}
	if len(m.Data) < packFrom {
		return m, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err = w.Write(m.Data); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	m.Data = packed.Bytes()
	m.Header.Set(headerPacked, "gzip")
	return m, nil
}

// unpack decodes a message that message has encoded.
func unpack(header nats.Header, data []byte, v any) error {
	if header.Get(headerPacked) == "gzip" {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if data, err = io.ReadAll(io.LimitReader(r, maxRecord+1)); err != nil {
			return err
		}
		if len(data) > maxRecord {
			return errors.New("it is too long")
		}
	}
	return json.Unmarshal(data, v)
}

func agentOf(header nats.Header, data []byte) (record.Agent, error) {
	var r agentRecord
	if err := unpack(header, data, &r); err != nil {
		return record.Agent{}, fmt.Errorf("the record of an agent in NATS cannot be read: %w", err)
	}
	r.Agent.Timeout = r.Timeout
	return r.Agent, nil
}

func groupOf(header nats.Header, data []byte) (record.Group, error) {
	var g record.Group
	if err := unpack(header, data, &g); err != nil {
		return g, fmt.Errorf("the record of a group in NATS cannot be read: %w", err)
	}
	if g.AgentIDs == nil {
		g.AgentIDs = []string{}
	}
	return g, nil
}

// made is the place of a record among all.
func made(header nats.Header, sequence uint64) uint64 {
	if n, err := strconv.ParseUint(header.Get(headerMade), 10, 64); err == nil {
		return n
	}
	return sequence
}
