package template_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/template"
)

func TestMessage_Find(t *testing.T) {
	const message = "Port 5173 is already in use"
	for _, c := range []struct {
		name, message, source string
		want                  bool
	}{
		{"template literal", message, "throw new Error(`Port ${port} is already in use`)", true},
		{"template literal with a call", message, "new Error(`Port ${config.get('port')} is already in use`)", true},
		{"Go verb", message, `return fmt.Errorf("port %d is already in use", port)`, true},
		{"Go wrapped error", "starting: " + message + ": bind: address already in use", `return fmt.Errorf("port %d is already in use: %w", port, err)`, true},
		{"Python f-string", message, `raise OSError(f"Port {port!r} is already in use")`, true},
		{"Python format", message, `raise OSError('Port %(port)s is already in use' % params)`, true},
		{"Rust", message, `bail!("Port {} is already in use", port)`, true},
		{"Ruby", message, `raise "Port #{port} is already in use"`, true},
		{"Swift", message, `fatalError("Port \(port) is already in use")`, true},
		{"Kotlin", message, `error("Port $port is already in use")`, true},
		{"Java MessageFormat", message, `port.used=Port {0} is already in use`, false},
		{"C", message, `fprintf(stderr, "Port %-5lu is already in use\n", port);`, true},
		{"concatenation", message, `throw new Error("Port " + port + " is already in use");`, true},
		{"C++ stream", message, `std::cerr << "Port " << port << " is already in use";`, true},
		{"arguments", message, `console.error("Port", port, "is already in use")`, true},
		{"lines joined", message, "msg = ('Port %d '\n       'is already in use' % port)", true},
		{"JSON value", message, `  "portUsed": "Port {{port}} is already in use",`, true},
		{"time stamp before", "2026-01-02T10:31:07.123Z [worker-3] ERROR " + message, "log.error(`Port ${port} is already in use`)", true},
		{"stack trace after", message + "\n    at Server.setup (/app/node_modules/x/server.js:12:3)\n    at listen (net.js:1:2)", "new Error(`Port ${port} is already in use`)", true},
		{"color", "\x1b[31merror\x1b[0m " + message, "`Port ${port} is already in use`", true},
		{"quotes of the variable", `unknown flag "--prot" in command serve`, `fmt.Errorf("unknown flag %q in command %s", flag, name)`, true},
		{"escaped quotes", `Cannot find module "./x" or its types`, `"Cannot find module \"%s\" or its types"`, true},
		{"Japanese", "ポート5173は使用中です、開始できません", "`ポート${port}は使用中です`", true},
		{"apostrophe in a comment", message, `// it's not "x": "Port %d is already in use"`, true},

		{"another order", message, `"is already in use by port"`, false},
		{"another word", message, `"Port %d is already being used"`, false},
		{"part of a word", "unsupported reports: 3 of 4 failed", `"port %s fail"`, false},
		{"too little", message, `"in use"`, false},
		{"only placeholders", message, `"%s: %s %d"`, false},
		{"an unclosed quote", message, `"Port %d is already in use`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ok := template.Parse(c.message)
			if !ok {
				t.Fatal("the text was not recognized as a message")
			}
			got := false
			for match := range m.Find([]byte("\n"+c.source+"\n"), false) {
				got = true
				if match.Line != 2 || match.Share <= 0 || match.Share > 1 {
					t.Errorf("the match is %+v", match)
				}
			}
			if got != c.want {
				t.Errorf("found is %v", got)
			}
		})
	}
}

func TestMessage_Find_Values(t *testing.T) {
	m, _ := template.Parse("Port 5173 is already in use")
	for _, source := range []string{
		"port_used: Port %{port} is already in use",
		"port.used=Port {0} is already in use",
		"port-used = Port { $port } is already in use",
		`<string name="port_used">Port %1$d is already in use</string>`,
		"<p>Port {port} is already in use</p>",
		"Port 5173 is already in use",
	} {
		found := 0
		for range m.Find([]byte(source), true) {
			found++
		}
		if found != 1 {
			t.Errorf("%s has %d matches", source, found)
		}
	}
}

// The fixed parts of the joined literals count together, and their first line is the line of the match.
func TestMessage_Find_Joined(t *testing.T) {
	m, _ := template.Parse("Cannot read /etc/x.conf: line 3 has no value")
	source := "a\nthrow 'Cannot read ' + path +\n  ': line ' + n +\n  ' has no value';\nb = 'line';\n"
	var all []template.Match
	for match := range m.Find([]byte(source), false) {
		all = append(all, match)
	}
	if len(all) != 1 || all[0].Line != 2 || all[0].Weight != 24 || !strings.HasSuffix(source[:all[0].End], "has no value") {
		t.Errorf("found %+v", all)
	}
}

func TestParse_NoMessage(t *testing.T) {
	for _, text := range []string{"", "Server", "parse request", "where is the port opened: 5173?", "How does \"it\" fail", "12 34 56 78"} {
		if _, ok := template.Parse(text); ok {
			t.Errorf("%q was recognized as a message", text)
		}
	}
}

// A text of words only is matched by templates that are nearly the whole of it.
func TestMessage_Find_Plain(t *testing.T) {
	m, ok := template.Parse("connection pool of the database")
	if !ok {
		t.Fatal("not recognized")
	}
	for source, want := range map[string]int{`"connection pool"`: 0, `"connection pool of the %s"`: 1} {
		found := 0
		for range m.Find([]byte(source), false) {
			found++
		}
		if found != want {
			t.Errorf("%s has %d matches", source, found)
		}
	}
}

func TestMessage_Find_Hostile(t *testing.T) {
	for name, source := range map[string]string{
		"literals":      strings.Repeat(`"a b a b a" `, 20_000),
		"escapes":       "'" + strings.Repeat(`\'`, 1<<17),
		"braces":        `"` + strings.Repeat("{", 4000) + `"` + strings.Repeat(`"`+strings.Repeat("{", 4000)+"\"\n", 20),
		"placeholders":  strings.Repeat(`"`+strings.Repeat("a%s", 1000)+"\"\n", 50),
		"tags":          strings.Repeat("<>", 1<<17),
		"backticks":     strings.Repeat("`\n", 1<<17),
		"invalid":       strings.Repeat("\"\xff\\x\\u12\\U0011ffffff\\e[\\033\"", 1_000),
		"cut off":       `"\`,
		"cut off verbs": `"%" "%(" "%{x" "${" "$" "#{" "\(" "{" "%<a" "%-"`,
	} {
		t.Run(name, func(t *testing.T) {
			m, ok := template.Parse("error: " + strings.Repeat("a b ", 250))
			if !ok {
				t.Fatal("not recognized")
			}
			n := 0
			for match := range m.Find([]byte(source), true) {
				if match.Start < 0 || match.End > len(source) || match.Start > match.End {
					t.Fatalf("the match is %+v", match)
				}
				if n++; n == 10 {
					break
				}
			}
		})
	}
}

func TestMessage_Runs(t *testing.T) {
	m, _ := template.Parse("Error: Port 5173 is already in use")
	if got := strings.Join(m.Runs(), ","); got != "is already in,already in use,is already,already in,in use" {
		t.Errorf("the runs are %q", got)
	}
	m, _ = template.Parse(`error: ` + strings.Repeat("word ", 1000))
	if got := len(m.Runs()); got > 16 {
		t.Errorf("there are %d runs", got)
	}
	m, _ = template.Parse(`Unknown "x y" in file`)
	if got := m.Words(); got != "unknown  x y  in file" {
		t.Errorf("the words are %q", got)
	}
}

func FuzzMessage_Find(f *testing.F) {
	f.Add("Port 5173 is already in use", "`Port ${port} is already in use`")
	f.Add("a: b c\nd", `'a: %(b)s' "c \x1b[31m"`)
	f.Fuzz(func(t *testing.T, message, source string) {
		m, ok := template.Parse(message)
		if !ok {
			return
		}
		m.Words()
		m.Runs()
		for match := range m.Find([]byte(source), true) {
			if match.Start < 0 || match.End < match.Start || match.End > len(source) || match.Share < 0 || match.Share > 1 {
				t.Fatalf("the match is %+v", match)
			}
		}
	})
}

func Example() {
	m, _ := template.Parse("[10:31:07] Error: Port 5173 is already in use")
	source := "if (used) {\n  throw new Error(`Port ${port} is already in use`)\n}\n"
	for match := range m.Find([]byte(source), false) {
		fmt.Printf("line %d: %s\n", match.Line, source[match.Start:match.End])
	}
	// Output: line 2: Port ${port} is already in use
}
