package driver

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func responses(stream string) *httpConn {
	return &httpConn{r: bufio.NewReader(strings.NewReader(stream))}
}

func TestHTTPConn_Responses(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct {
		name, stream string
		status       int
		message      string
		session      string
	}{
		{"with a length", ok + "content-length: 3\r\nContent-Type: application/json\r\n\r\n{}\n", 200, "{}", ""},
		{"with a session", ok + "Mcp-Session-Id: abc\r\nContent-Length: 2\r\n\r\n{}", 200, "{}", "abc"},
		{"in chunks", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nA\r\n          \r\n1\r\n}\r\n0\r\n\r\n", 200, "{          }", ""},
		{"an event", ok + "Content-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"28\r\n: hello\nid: 1\ndata:\n\ndata: {\"last\":1}\n\n\n\r\n0\r\n\r\n", 200, `{"last":1}`, ""},
		{"nothing", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", 202, "", ""},
		{"nothing at all", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := responses(test.stream + ok + "Content-Length: 4\r\n\r\nnext")
			head, body, err := c.read()
			if err != nil {
				t.Fatal(err)
			}
			if got := string(head.message(body)); head.status != test.status || got != test.message || head.session != test.session {
				t.Errorf("got %+v with %q", head, got)
			}
			if _, next, err := c.read(); err != nil || string(next) != "next" {
				t.Errorf("the next response is %q: %v", next, err)
			}
		})
	}
}

func TestHTTPConn_InvalidResponses(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := []struct{ name, stream, want string }{
		{"another protocol", "SSH-2.0-OpenSSH\r\n", "SSH-2.0"},
		{"another version", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.0"},
		{"no length", ok + "Content-Length: many\r\n\r\n", `"many"`},
		{"a negative length", ok + "Content-Length: -1\r\n\r\n", `"-1"`},
		{"a last one", ok + "Connection: close\r\n\r\n", "close the connection"},
		{"a wrong chunk", ok + "Transfer-Encoding: chunked\r\n\r\nwhat?\r\n", `"what?"`},
		{"cut off in the head", ok, io.EOF.Error()},
		{"cut off in the body", ok + "Content-Length: 3\r\n\r\n{}", "unexpected EOF"},
		{"cut off in a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n5\r\n{}", "unexpected EOF"},
		{"cut off between chunks", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", io.EOF.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := responses(test.stream).read()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestResponse_WantStatus(t *testing.T) {
	t.Parallel()
	err := response{status: 404}.want(200, []byte("no such session"))
	if err == nil || !strings.Contains(err.Error(), "404 Not Found: no such session") {
		t.Errorf("got %v", err)
	}
	if err := (response{status: 200}).want(200, nil); err != nil {
		t.Error(err)
	}
}
