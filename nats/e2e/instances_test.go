package e2e_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

var questionID = regexp.MustCompile(`"id":("[^"]+")`)

// A session of one instance goes on at another.
func TestInstances(t *testing.T) {
	c := startCluster(t, 3)
	run := func(name string, f func(c *cluster)) {
		t.Run(name, func(t *testing.T) { f(&cluster{T: t, nats: c.nats, at: c.at, url: c.url, client: c.client}) })
	}
	run("a question is answered at another instance", answeredElsewhere)
	run("a client comes back to another instance", comesBackElsewhere)
	run("a call is cancelled at another instance", cancelledElsewhere)
	run("changes reach the client wherever it listens", listensElsewhere)
	run("a session is deleted at another instance", deletedElsewhere)
	run("a session belongs to its principal", belongsToPrincipal)
}

func answeredElsewhere(c *cluster) {
	session := c.open(0)
	call := c.send(1, http.MethodPost, callBody(1, "sign", `{}`), "Mcp-Session-Id", session)
	_, question := call.await("elicitation/create")
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, questionID.FindStringSubmatch(question)[1])
	if resp := c.send(2, http.MethodPost, answer, "Mcp-Session-Id", session); resp.StatusCode != http.StatusAccepted {
		c.Errorf("answering: %d %s", resp.StatusCode, resp.rest())
	}
	call.await("Ada at instance1")
}

func comesBackElsewhere(c *cluster) {
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(1, "work", `{"job":"resumed","seconds":2}`), "Mcp-Session-Id", session)
	id, _ := call.await("notifications/progress")
	call.leave()
	first := c.send(1, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
	id, _ = first.await("notifications/progress")
	first.leave()
	second := c.send(2, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
	rest := second.rest()
	if strings.Count(rest, "resumed done at instance0") != 1 || !strings.Contains(rest, "notifications/progress") {
		c.Errorf("the rest: %s", rest)
	}
	if n := c.begun("resumed"); n != 1 {
		c.Errorf("the job was begun %d times", n)
	}
}

func cancelledElsewhere(c *cluster) {
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(1, "work", `{"job":"cancelled","seconds":300}`), "Mcp-Session-Id", session)
	call.await("notifications/progress")
	if resp := c.send(1, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Session-Id", session); resp.StatusCode != http.StatusAccepted {
		c.Errorf("cancelling: %d", resp.StatusCode)
	}
	if rest := call.rest(); strings.Contains(rest, "done at") {
		c.Errorf("it was answered: %s", rest)
	}
	until(c.T, "the cancellation", func() bool {
		return strings.Contains(c.at[0].logged(), `work was cancelled job=cancelled`)
	})
}

func listensElsewhere(c *cluster) {
	session := c.open(0)
	listening := c.send(1, http.MethodGet, "", "Mcp-Session-Id", session)
	if listening.StatusCode != http.StatusOK {
		c.Fatalf("GET: %d", listening.StatusCode)
	}
	subscribe := `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"note://elsewhere"}}`
	if resp := c.send(2, http.MethodPost, subscribe, "Mcp-Session-Id", session); !strings.Contains(resp.rest(), `"result"`) {
		c.Errorf("subscribing: %d", resp.StatusCode)
	}
	c.send(0, http.MethodPost, callBody(3, "write", `{"name":"elsewhere","text":"x"}`), "Mcp-Session-Id", session).rest()
	id, _ := listening.await("note://elsewhere")
	again := c.send(2, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
	listening.rest() // one stream of changes at a time
	c.send(0, http.MethodPost, callBody(4, "write", `{"name":"elsewhere","text":"y"}`), "Mcp-Session-Id", session).rest()
	again.await("note://elsewhere")
}

func deletedElsewhere(c *cluster) {
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(1, "work", `{"job":"deleted","seconds":300}`), "Mcp-Session-Id", session)
	id, _ := call.await("notifications/progress")
	if resp := c.send(2, http.MethodDelete, "", "Mcp-Session-Id", session); resp.StatusCode != http.StatusNoContent {
		c.Errorf("DELETE: %d", resp.StatusCode)
	}
	for i := range c.at {
		for _, resp := range []*response{
			c.send(i, http.MethodPost, callBody(2, "who", `{}`), "Mcp-Session-Id", session),
			c.send(i, http.MethodGet, "", "Mcp-Session-Id", session),
			c.send(i, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id),
			c.send(i, http.MethodDelete, "", "Mcp-Session-Id", session),
		} {
			if resp.StatusCode != http.StatusNotFound {
				c.Errorf("%s at instance %d: %d", resp.Request.Method, i, resp.StatusCode)
			}
		}
	}
	call.rest()
	until(c.T, "the end of the call", func() bool {
		return strings.Contains(c.at[0].logged(), `work was cancelled job=deleted`)
	})
}

func belongsToPrincipal(c *cluster) {
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(1, "work", `{"job":"private","seconds":2}`), "Mcp-Session-Id", session)
	id, _ := call.await("notifications/progress")
	for i := range c.at {
		for _, resp := range []*response{
			c.send(i, http.MethodPost, callBody(2, "who", `{}`), "Mcp-Session-Id", session, "Authorization", "Bearer "+eve),
			c.send(i, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Session-Id", session, "Authorization", "Bearer "+eve),
			c.send(i, http.MethodGet, "", "Mcp-Session-Id", session, "Authorization", "Bearer "+eve),
			c.send(i, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id, "Authorization", "Bearer "+eve),
			c.send(i, http.MethodDelete, "", "Mcp-Session-Id", session, "Authorization", "Bearer "+eve),
		} {
			if resp.StatusCode != http.StatusNotFound {
				c.Errorf("eve's %s at instance %d: %d", resp.Request.Method, i, resp.StatusCode)
			}
		}
	}
	call.await("private done at instance0")
}

// An instance is killed: its sessions go on elsewhere, its calls end with an
// error within bounded time and are not run again.
func TestKill(t *testing.T) {
	c := startCluster(t, 3)
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(7, "work", `{"job":"lost","seconds":300}`), "Mcp-Session-Id", session)
	id, _ := call.await("notifications/progress")
	watched := c.send(0, http.MethodPost, callBody(8, "work", `{"job":"watched","seconds":300}`), "Mcp-Session-Id", session)
	watchedID, _ := watched.await("notifications/progress")
	reader := c.send(2, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", watchedID)
	reader.await("notifications/progress")
	listening := c.send(0, http.MethodGet, "", "Mcp-Session-Id", session)
	c.at[0].kill()
	call.rest()
	listening.rest()
	start := time.Now()
	if resp := c.send(1, http.MethodPost, callBody(9, "who", `{}`), "Mcp-Session-Id", session); resp.StatusCode != http.StatusOK || !strings.Contains(resp.rest(), "instance1") {
		t.Errorf("the session at another instance: %d", resp.StatusCode)
	}
	for n, resp := range map[int]*response{7: c.send(1, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id), 8: reader} {
		if rest := resp.rest(); strings.Count(rest, fmt.Sprintf(`"id":%d,"error"`, n)) != 1 || !strings.Contains(rest, "is gone") {
			t.Errorf("call %d: status %d, %s", n, resp.StatusCode, rest)
		}
	}
	if took := time.Since(start); took > patience {
		t.Errorf("the errors took %v", took)
	}
	again := c.send(1, http.MethodGet, "", "Mcp-Session-Id", session)
	again.await("list_changed") // the missed changes are unknown
	if n, m := c.begun("lost"), c.begun("watched"); n != 1 || m != 1 {
		t.Errorf("the jobs were begun %d and %d times", n, m)
	}
}

// While NATS is stopped, requests of sessions fail and requests of 2026-07-28 do not.
// Afterwards all of them work.
func TestNATSRestart(t *testing.T) {
	c := startCluster(t, 2)
	session := c.open(0)
	call := c.send(0, http.MethodPost, callBody(1, "work", `{"job":"patient","seconds":8}`), "Mcp-Session-Id", session)
	id, _ := call.await("notifications/progress")
	back := c.send(1, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
	back.await("notifications/progress")
	sign := c.send(0, http.MethodPost, callBody(3, "sign", `{}`), "Mcp-Session-Id", session)
	_, question := sign.await("elicitation/create")
	c.nats.Stop()
	until(t, "a clear refusal", func() bool {
		resp := c.send(1, http.MethodPost, callBody(2, "who", `{}`), "Mcp-Session-Id", session)
		body := resp.rest()
		if resp.StatusCode == http.StatusNotFound {
			t.Fatalf("the session was taken for ended: %s", body)
		}
		return resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" && strings.Contains(body, "cannot be reached")
	})
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}`
	if resp := c.send(1, http.MethodPost, modern, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "who"); resp.StatusCode != http.StatusOK {
		t.Errorf("a request of 2026-07-28: %d %s", resp.StatusCode, resp.rest())
	}
	c.nats.Restart(t)
	until(t, "the recovery", func() bool {
		resp := c.send(1, http.MethodPost, callBody(2, "who", `{}`), "Mcp-Session-Id", session)
		body := resp.rest()
		return resp.StatusCode == http.StatusOK && strings.Contains(body, "instance1")
	})
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"name":"Ada"}}}`, questionID.FindStringSubmatch(question)[1])
	if resp := c.send(1, http.MethodPost, answer, "Mcp-Session-Id", session); resp.StatusCode != http.StatusAccepted {
		t.Errorf("answering a question from before: %d %s", resp.StatusCode, resp.rest())
	}
	sign.await("Ada at instance0")
	if rest := back.rest(); !strings.Contains(rest, "patient done at instance0") {
		t.Errorf("the call that ran meanwhile: %s", rest)
	}
	if n := c.begun("patient"); n != 1 {
		t.Errorf("the job was begun %d times", n)
	}
}
