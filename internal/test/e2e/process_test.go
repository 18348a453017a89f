package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestProcess tests the behaviour of the process, independent of the client library.
func TestProcess(t *testing.T) {
	t.Parallel()
	fixture := build(t, "./fixture")
	tests := map[string]func(t *testing.T, fixture string){
		"EndsWithItsInput":         testEndsWithItsInput,
		"AnswersBeforeItEnds":      testAnswersBeforeItEnds,
		"AnswersWhoReadsLate":      testAnswersWhoReadsLate,
		"WritesMessagesOnly":       testWritesMessagesOnly,
		"SurvivesHostileLines":     testSurvivesHostileLines,
		"ServesBothErasOnOnePipe":  testServesBothErasOnOnePipe,
		"DoesNotAnswerWhatIsGiven": testDoesNotAnswerWhatIsGiven,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fixture)
		})
	}
}

// A client ends the server by closing its input (2026-07-28, basic/transports/stdio, "Shutdown"), also during requests.
func testEndsWithItsInput(t *testing.T, fixture string) {
	for name, before := range map[string]func(s *server){
		"at once":           func(*server) {},
		"after half a line": func(s *server) { fmt.Fprint(s.stdin, `{"jsonrpc":"2.0","id":1,"me`) },
		"after a request":   func(s *server) { s.send(modernCall(1, "echo", `{"text":"x"}`)); s.answer(1) },
		"after a handshake": func(s *server) { s.openSession() },
		"while a call runs": func(s *server) { s.send(modernCall(1, "hold", `{"key":"k"}`)); s.stderr.said(s.t, "holding k") },
		"while a question waits": func(s *server) {
			s.openSession()
			s.send(legacyCall(1, "book", `{}`))
			s.received("elicitation/create")
		},
		"with a subscription open": func(s *server) { s.send(listen(1)); s.received("notifications/subscriptions/acknowledged") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, fixture)
			before(s)
			s.stdin.Close()
			s.ends()
			s.stderr.said(t, "fixture: ended")
			if name == "while a call runs" {
				s.stderr.said(t, "fixture: cancelled k")
			}
		})
	}
}

func listen(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, id, modernMeta)
}

func testAnswersBeforeItEnds(t *testing.T, fixture string) {
	const calls = 200
	s := start(t, fixture)
	for id := range calls {
		s.send(modernCall(id, "echo", fmt.Sprintf(`{"text":"text %d"}`, id)))
	}
	s.stdin.Close()
	for id := range calls {
		if m := s.answer(id); !strings.Contains(string(m.Result), fmt.Sprintf("text %d\"", id)) {
			t.Errorf("the answer to %d: %+v", id, m)
		}
	}
	s.ends()
}

// A client may send all requests before it reads a response. The server must not block, and each request gets exactly one response,
// possibly that the server is busy.
func testAnswersWhoReadsLate(t *testing.T, fixture string) {
	const calls = 3000
	cmd, p := launch(t, fixture)
	s := attend(t, cmd, p.stdin, nil, follow("standard error", p.stderr))
	text := strings.Repeat("x", 1000)
	for id := range calls {
		s.send(modernCall(id, "echo", `{"text":"`+text+`"}`))
	}
	s.stdin.Close()
	s.stdout = follow("standard output", p.stdout)
	answers := make(map[string]int)
	for _, line := range s.stdout.all(t) {
		m := readMessage(t, line)
		if m.Error == nil && !strings.Contains(string(m.Result), text) {
			t.Errorf("neither an error nor the text: %.200s", line)
		}
		answers[string(m.ID)]++
	}
	for id := range calls {
		if n := answers[fmt.Sprint(id)]; n != 1 {
			t.Errorf("request %d has %d answers", id, n)
		}
	}
	s.ends()
}

func testWritesMessagesOnly(t *testing.T, fixture string) {
	s := start(t, fixture)
	fake := `{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}`
	s.send(
		modernCall(1, "print", `{"text":"printed by a handler"}`),
		modernCall(2, "print", `{"text":"`+fake+`"}`),
		modernCall(3, "spawn", `{"text":"printed by a child"}`),
		modernCall(4, "spawn", `{"text":"`+fake+`"}`),
		modernCall(5, "crash", `{}`),
		modernCall(6, "echo", `{"text":"after all of it"}`),
	)
	for id := 1; id <= 6; id++ {
		if m := s.answer(id); m.Error != nil {
			t.Errorf("call %d: %+v", id, m.Error)
		}
	}
	s.stdin.Close()
	s.ends()
	var ids []string
	for _, line := range s.stdout.all(t) {
		ids = append(ids, string(readMessage(t, line).ID))
	}
	slices.Sort(ids)
	if want := []string{"1", "2", "3", "4", "5", "6"}; !slices.Equal(ids, want) {
		t.Errorf("answers on standard output: %q, want %q", ids, want)
	}
	for _, words := range []string{"printed by a handler", "printed by a child", `{"jsonrpc":"2.0","id":7,"result":{}}`, "the fixture's own panic"} {
		s.stderr.said(t, words)
	}
}

// An invalid line does not affect the next one.
func testSurvivesHostileLines(t *testing.T, fixture string) {
	s := start(t, fixture)
	id := 0
	for name, line := range map[string]string{
		"nothing":                 "",
		"blanks":                  " \t\r",
		"no JSON":                 "hello?",
		"half an object":          `{"jsonrpc":"2.0","id":7001,"method":"tools/list"`,
		"a number":                "42",
		"null":                    "null",
		"an empty batch":          "[]",
		"a batch":                 "[" + modernCall(7002, "echo", `{"text":"x"}`) + "]",
		"no UTF-8":                "\"\xff\xfe\"",
		"NUL bytes":               "\x00\x00\x00",
		"a byte order mark":       "\ufeff{}",
		"depth":                   strings.Repeat("[", 1<<20),
		"deep arguments":          modernCall(7003, "echo", strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)),
		"a long number":           modernCall(7004, "add", `{"left":1e`+strings.Repeat("9", 1<<16)+`,"right":1}`),
		"more than the limit":     modernCall(7005, "echo", `{"text":"`+strings.Repeat("x", 17<<20)+`"}`),
		"another version":         `{"jsonrpc":"1.0","id":7006,"method":"tools/list"}`,
		"no method":               `{"jsonrpc":"2.0","id":7007}`,
		"an object as id":         `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`,
		"null as id":              `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`,
		"params that are a list":  `{"jsonrpc":"2.0","id":7008,"method":"tools/list","params":[1]}`,
		"an unknown method":       `{"jsonrpc":"2.0","id":7009,"method":"no/such","params":{` + modernMeta + `}}`,
		"an unasked answer":       `{"jsonrpc":"2.0","id":7010,"result":{}}`,
		"an unasked error":        `{"jsonrpc":"2.0","id":7011,"error":{"code":1,"message":"x"}}`,
		"a cancel of nothing":     `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7012}}`,
		"a cancel of no id":       `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		"an unknown notification": `{"jsonrpc":"2.0","method":"notifications/no/such"}`,
		"an unknown revision":     `{"jsonrpc":"2.0","id":7013,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}`,
		"a handshake for nothing": `{"jsonrpc":"2.0","id":7014,"method":"initialize"}`,
	} {
		id++
		s.send(line, modernCall(id, "echo", `{"text":"next"}`))
		if m := s.answer(id); !strings.Contains(string(m.Result), "next") {
			t.Errorf("after %s: %+v", name, m)
		}
	}
	s.stdin.Close()
	s.ends()
}

// A server that supports legacy and modern revisions serves both on one connection (2026-07-28, basic/versioning). Each request
// determines its revision.
func testServesBothErasOnOnePipe(t *testing.T, fixture string) {
	s := start(t, fixture)
	s.send(modernCall(1, "words", `{"text":"before any session"}`))
	before := s.answer(1)
	s.openSession()
	s.send(legacyCall(2, "words", `{"text":"in the session"}`), modernCall(3, "words", `{"text":"beside it"}`))
	inside, beside := s.answer(2), s.answer(3)
	for name, c := range map[string]struct {
		answer message
		modern bool
	}{
		"before": {before, true}, "inside": {inside, false}, "beside": {beside, true},
	} {
		// Only the modern revision allows an array as structured content.
		if got := strings.Contains(string(c.answer.Result), `"structuredContent"`); got != c.modern {
			t.Errorf("%s: %s", name, c.answer.Result)
		}
		if got := strings.Contains(string(c.answer.Result), `"resultType":"complete"`); got != c.modern {
			t.Errorf("%s: %s", name, c.answer.Result)
		}
	}
	s.stdin.Close()
	s.ends()
}

// Notifications and responses get no response, not even an error.
func testDoesNotAnswerWhatIsGiven(t *testing.T, fixture string) {
	s := start(t, fixture)
	s.send(
		`{"jsonrpc":"2.0","method":"notifications/no/such"}`,
		`{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		modernCall(2, "echo", `{"text":"x"}`),
	)
	s.stdin.Close()
	s.ends()
	if lines := s.stdout.all(t); len(lines) != 1 || string(readMessage(t, lines[0]).ID) != "2" {
		t.Errorf("on standard output: %q", lines)
	}
}
