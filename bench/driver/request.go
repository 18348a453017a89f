package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
)

// Identifiers have a fixed width, so that a request is made into the next one
// by writing digits, and all answers to a request have one length.
const (
	firstID = 1_000_000
	lastID  = 9_999_999
	idWidth = 7
)

// request is a message ready to be sent but for its identifier.
type request struct {
	line   []byte // with a newline
	id     int    // where the digits of the identifier begin
	method string
	name   string // of the tool that it calls, if any
}

// newRequest encodes a request as JavaScript clients do, without escaping what
// is safe only outside HTML.
func newRequest(method string, params any) (request, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(params); err != nil {
		return request{}, fmt.Errorf("encode the parameters of %s: %w", method, err)
	}
	head := `{"jsonrpc":"2.0","id":`
	line := fmt.Appendf(nil, `%s%d,"method":%q,"params":%s}`+"\n", head, firstID, method, bytes.TrimSpace(body.Bytes()))
	return request{line: line, id: len(head), method: method}, nil
}

// newAnswer encodes an answer, to be sent like a request.
func newAnswer(result string) (request, error) {
	encoded, err := json.Marshal(result)
	if err != nil {
		return request{}, err
	}
	head := `{"jsonrpc":"2.0","id":`
	line := fmt.Appendf(nil, `%s%d,"result":%s}`+"\n", head, firstID, encoded)
	return request{line: line, id: len(head)}, nil
}

// modern is the revision that has no handshake: each request says for itself
// what it speaks.
const modern = "2026-07-28"

// inModern returns params with what a request of the revision modern says of
// itself.
func inModern(params map[string]any) map[string]any {
	all := maps.Clone(params)
	if all == nil {
		all = make(map[string]any)
	}
	all["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion":    modern,
		"io.modelcontextprotocol/clientInfo":         clientInfo(),
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
	}
	return all
}

// number writes the digits of an identifier into the line.
func (r request) number(id int) { writeID(r.line[r.id:], id) }

func writeID(at []byte, id int) {
	var digits [idWidth]byte
	copy(at[:idWidth], strconv.AppendInt(digits[:0], int64(id), 10))
}

// burst is room for several copies of a request side by side, which are sent in
// one write.
type burst struct {
	request
	copies []byte
}

// burstBytes is about what a pipe holds: longer bursts save no system call.
const burstBytes = 64 << 10

func newBurst(r request, inFlight int) *burst {
	n := max(1, min(inFlight, burstBytes/len(r.line)))
	return &burst{request: r, copies: bytes.Repeat(r.line, n)}
}

// next returns at most n requests with the identifiers from id on, and how many
// they are. They are good until the next call.
func (b *burst) next(id, n int) ([]byte, int) {
	size := len(b.line)
	n = min(n, len(b.copies)/size)
	for i := range n {
		writeID(b.copies[i*size+b.id:], id+i)
	}
	return b.copies[:n*size], n
}
