package dashboard_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// get requests a path with headers and returns the response and its body.
func (f *fixture) get(t *testing.T, path string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// The page is served with security headers, and its files are cacheable.
func TestHandler_Page(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	answer, page := f.get(t, "/")
	if answer.StatusCode != http.StatusOK || !strings.Contains(page, "<html") {
		t.Fatalf("it answers %s: %.100s", answer.Status, page)
	}
	for name, want := range map[string]string{"Content-Security-Policy": "script-src 'self'", "X-Content-Type-Options": "nosniff", "Content-Type": "text/html", "Cache-Control": "no-cache"} {
		if got := answer.Header.Get(name); !strings.Contains(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
	if strings.Contains(answer.Header.Get("Content-Security-Policy"), "unsafe") || strings.Contains(page, "<script>") {
		t.Error("scripts within the page can run")
	}
	if again, _ := f.get(t, "/", "If-None-Match", answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("what the browser has is sent again: %s", again.Status)
	}
	_, rest, _ := strings.Cut(page, `src="`)
	script, _, _ := strings.Cut(rest, `"`)
	part, plain := f.get(t, "/"+strings.TrimLeft(script, "./"))
	if part.StatusCode != http.StatusOK || !strings.Contains(part.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(part.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s: %s, %v", script, part.Status, part.Header)
	}
	packed, short := f.get(t, "/"+strings.TrimLeft(script, "./"), "Accept-Encoding", "br, gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" || len(short) > len(plain)/2 {
		t.Errorf("packed it has %d of %d bytes", len(short), len(plain))
	}
	for path, status := range map[string]int{
		"/history": http.StatusOK, "/assets/none.js": http.StatusNotFound, "/..%2f..%2fdashboard.go": http.StatusNotFound, "/%2e%2e/assets.go": http.StatusNotFound, "/api/none": http.StatusNotFound, "/api/health": http.StatusOK,
	} {
		if answer, _ := f.get(t, path); answer.StatusCode != status {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
}

// Requests with a foreign origin or host are rejected.
func TestHandler_ForeignOrigin(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	for _, path := range []string{"/", "/ws", "/api/history"} {
		for _, header := range [][]string{{"Host", "evil.example"}, {"Origin", "https://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Host", "127.0.0.1.evil.example"}} {
			if answer, _ := f.get(t, path, header...); answer.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %v: %s", path, header, answer.Status)
			}
		}
	}
}

func TestHandler_Token(t *testing.T) {
	for name, tc := range map[string]struct {
		open    bool
		address string
	}{"on loopback": {false, "127.0.0.1:0"}, "off loopback": {false, "0.0.0.0:0"}, "off loopback, open": {true, "0.0.0.0:0"}} {
		t.Run(name, func(t *testing.T) {
			f := start(t, dashboard.Options{Open: tc.open}, tc.address)
			for _, path := range []string{"/", "/api/health"} {
				if answer, _ := f.get(t, path); answer.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", path, answer.Status)
				}
			}
			for _, header := range [][]string{nil, {"Authorization", "Bearer wrong"}, {"Authorization", "Basic " + token}, {"Authorization", token}} {
				for _, path := range []string{"/api/history", "/api/agents/a-1", "/api/agents/a-1/output"} {
					if answer, body := f.get(t, path, header...); answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") == "" || !strings.Contains(body, "#token=") {
						t.Errorf("%s with %v: %s, %s", path, header, answer.Status, body)
					}
				}
			}
			if answer, _ := f.get(t, "/api/history?token="+token); answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("a token in a URL is taken: %s", answer.Status)
			}
			if answer, _ := f.get(t, "/api/history", "Authorization", "Bearer "+token); answer.StatusCode != http.StatusOK {
				t.Errorf("with the token: %s", answer.Status)
			}
			stranger := f.dial(t)
			stranger.say(map[string]any{"type": "hello", "token": "wrong"})
			if code := stranger.closed(); code != websocket.StatusCode(4401) {
				t.Errorf("it closes with %d", code)
			}
			f.connect(t, token).until("snapshot")
		})
	}
}

func TestHandler_Open(t *testing.T) {
	f := start(t, dashboard.Options{Open: true}, "127.0.0.1:0")
	if answer, _ := f.get(t, "/api/history"); answer.StatusCode != http.StatusOK {
		t.Errorf("without the token: %s", answer.Status)
	}
	f.connect(t, "").until("snapshot")
}

// Listen uses the next free port.
func TestListen_PortInUse(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := other.Addr().(*net.TCPAddr).Port
	if port > 65000 {
		t.Skip("there is no room after the port")
	}
	f := start(t, dashboard.Options{}, other.Addr().String())
	if f.base == fmt.Sprintf("http://127.0.0.1:%d", port) {
		t.Error("two servers have one port")
	}
	if url := f.URL(true); !strings.HasPrefix(url, "http://localhost:") || !strings.HasSuffix(url, "/#token="+token) || strings.Contains(f.URL(false), token) {
		t.Errorf("the URL is %s", url)
	}
	for _, address := range []string{"nonsense", "127.0.0.1:http", "127.0.0.1:70000", "256.0.0.1:1"} {
		if _, err := f.Listen(t.Context(), address); err == nil {
			t.Errorf("it listens at %s", address)
		}
	}
}

func TestHistory_Queries(t *testing.T) {
	f := start(t, dashboard.Options{Open: true}, "127.0.0.1:0")
	f.group(t, "grp-1",
		record.Agent{ID: "a-1", Role: "impl-code", Status: record.Completed, Outcome: record.Completed, Prompt: "tidy up"},
		record.Agent{ID: "a-2", Role: "impl-test", Status: record.Failed, Outcome: record.Failed})
	f.group(t, "grp-2", record.Agent{ID: "a-3", Role: "impl-code", Status: record.Running})
	if err := f.memory.Outputs().Append(t.Context(), "a-1", record.Text, []byte("what it said")); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"":                                  "a-3 a-2 a-1 of 3 in grp-1 grp-2",
		"?role=impl-code":                   "a-3 a-1 of 2 in grp-1 grp-2",
		"?group=grp-1&status=failed":        "a-2 of 1 in grp-1",
		"?status=failed&status=running":     "a-3 a-2 of 2 in grp-1 grp-2",
		"?text=TIDY":                        "a-1 of 1 in grp-1",
		"?limit=1&offset=1":                 "a-2 of 3 in grp-1",
		"?since=2100-01-01T00:00:00Z":       "of 0 in",
		"?until=2100-01-01T00:00:00Z&limit": "a-3 a-2 a-1 of 3 in grp-1 grp-2",
	} {
		_, body := f.get(t, "/api/history"+query)
		var got struct {
			Agents []record.Agent
			Groups []record.Group
			Total  int
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var words []string
		for _, a := range got.Agents {
			words = append(words, a.ID)
		}
		words = append(words, "of", fmt.Sprint(got.Total), "in")
		for _, g := range got.Groups {
			words = append(words, g.ID)
		}
		if said := strings.Join(words, " "); said != want {
			t.Errorf("%s: %s", query, said)
		}
	}
	for path, want := range map[string]string{
		"/api/agents/a-1":                                    `"prompt":"tidy up"`,
		"/api/agents/a-1/output":                             `"text":"what it said"`,
		"/api/agents/a-1/output?kind=text&offset=-4":         `"text":"said"`,
		"/api/agents/a-1/output?offset=5&length=2":           `"text":"it"`,
		"/api/agents/a-1/output?kind=diff":                   `"size":0`,
		"/api/agents/none":                                   "NOT_FOUND",
		"/api/agents/none/output":                            "NOT_FOUND",
		"/api/agents/a-1/output?kind=secret":                 "INVALID_PARAMS",
		"/api/agents/a-1/output?offset=x":                    "INVALID_PARAMS",
		"/api/agents/a-1/output?length=-1":                   "INVALID_PARAMS",
		"/api/history?limit=many":                            "INVALID_PARAMS",
		"/api/history?since=yesterday":                       "INVALID_PARAMS",
		"/api/agents/..%2f..%2fetc%2fpasswd/output?kind=log": "NOT_FOUND",
	} {
		if _, body := f.get(t, path); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}

// The diff is the comparison at the end of the run. Before it, an empty diff is not presented as no
// change.
func TestOutput_Difference(t *testing.T) {
	f := start(t, dashboard.Options{Open: true}, "127.0.0.1:0")
	ctx := t.Context()
	if err := f.memory.CreateGroup(ctx, record.Group{ID: "grp-1", Status: record.GroupActive}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []record.Agent{
		{ID: "runs", Status: record.Running, StartedAt: time.Now()},
		{ID: "lost", Status: record.Failed, Outcome: record.Failed, StartedAt: time.Now()},
		{ID: "told", Status: record.Running, StartedAt: time.Now()},
		{ID: "done", Status: record.Completed, Outcome: record.Completed, StartedAt: time.Now()},
		{ID: "waits", Status: record.Queued},
	} {
		a.GroupID = "grp-1"
		if err := f.memory.CreateAgent(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	for _, write := range []struct {
		id     string
		stream record.Stream
	}{{"told", record.Diff}, {"done", record.Diff}, {"done", record.Comparison}} {
		if err := f.memory.Outputs().Append(ctx, write.id, write.stream, []byte("the "+write.stream+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"runs/output?kind=diff&offset=-65536":  `"text":"[the agent has reported no change yet; the files are compared when it ends]\n"`,
		"runs/output?kind=diff&offset=0":       `"text":""`,
		"lost/output?kind=diff&offset=-65536":  `"text":"[the files were not compared; the agent reported no change]\n"`,
		"told/output?kind=diff&offset=-65536":  `"text":"the diff\n"`,
		"done/output?kind=diff&offset=-65536":  `"text":"the comparison\n"`,
		"waits/output?kind=diff&offset=-65536": `"text":""`,
	} {
		if _, body := f.get(t, "/api/agents/"+path); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}
