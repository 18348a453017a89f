package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
)

// Ids have a fixed width, so that the next request differs only in digits, and all responses to one kind of request have one
// length.
const (
	firstID = 1_000_000
	lastID  = 9_999_999
	idWidth = 7
)

// request is an encoded message whose id can be changed.
type request struct {
	line   []byte // with a newline
	id     int    // offset of the id's digits
	method string
	name   string // name of the called tool, if any
}

// newRequest encodes a request without HTML escapes, as JavaScript clients do.
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

// newAnswer encodes a response in the form of a request.
func newAnswer(result string) (request, error) {
	encoded, err := json.Marshal(result)
	if err != nil {
		return request{}, err
	}
	head := `{"jsonrpc":"2.0","id":`
	line := fmt.Appendf(nil, `%s%d,"result":%s}`+"\n", head, firstID, encoded)
	return request{line: line, id: len(head)}, nil
}

// modern is the revision without a handshake: each request states its revision.
const modern = "2026-07-28"

// inModern adds the _meta of the modern revision to params.
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

// number writes the digits of an id into the line.
func (r request) number(id int) { writeID(r.line[r.id:], id) }

func writeID(at []byte, id int) {
	var digits [idWidth]byte
	copy(at[:idWidth], strconv.AppendInt(digits[:0], int64(id), 10))
}

// burst is a buffer for copies of a request, which are sent with one write.
type burst struct {
	request
	copies []byte
}

// burstBytes is about the capacity of a pipe: longer bursts save no system calls.
const burstBytes = 64 << 10

func newBurst(r request, inFlight int) *burst {
	n := max(1, min(inFlight, burstBytes/len(r.line)))
	return &burst{request: r, copies: bytes.Repeat(r.line, n)}
}

// next returns at most n requests with ids from id on, and their number. They are valid until the next call.
func (b *burst) next(id, n int) ([]byte, int) {
	size := len(b.line)
	n = min(n, len(b.copies)/size)
	for i := range n {
		writeID(b.copies[i*size+b.id:], id+i)
	}
	return b.copies[:n*size], n
}
