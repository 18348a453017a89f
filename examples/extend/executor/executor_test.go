package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	web "github.com/dougu-go/dougu/examples/extend/executor"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/executortest"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// A model starts an agent of the service and waits for its result.
func Example() {
	dir, err := os.MkdirTemp("", "agents")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	service := httptest.NewServer(http.HandlerFunc(serve))
	defer service.Close()
	parrots := web.New(web.Options{Name: "parrots", URL: service.URL})
	defer parrots.Close()

	ctx := context.Background()
	set, err := agents.New(ctx, tools.Env{Root: root}, agents.Options{
		Executors: []executor.Executor{parrots}, // with cursor.New, claude.New, … if roles use them, too
		Roles:     staff{{ID: "parrot", Model: "grey", Executor: "parrots", SystemPrompt: "Repeat the last line."}},
	})
	if err != nil {
		log.Fatal(err)
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{}, set)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close(ctx)

	group := call(ctx, box, "create_group", map[string]any{"description": "birds"})
	agent := call(ctx, box, "run_agent", map[string]any{"groupId": group["groupId"], "role": "parrot", "prompt": "Say hello."})
	ended := call(ctx, box, "wait_agent", map[string]any{"agentIds": []any{agent["agentId"]}})
	first := ended["completed"].([]any)[0].(map[string]any)
	fmt.Println(agent["model"], first["status"])
	fmt.Println(strings.Contains(first["summary"].(string), "Say hello."))
	// Output:
	// grey completed
	// true
}

// call calls a tool by its name and returns the structured result.
func call(ctx context.Context, box *tools.Box, tool string, arguments map[string]any) map[string]any {
	data, err := json.Marshal(arguments)
	if err != nil {
		log.Fatal(err)
	}
	result, err := box.Call(ctx, tool, data)
	if err != nil {
		log.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(result.Structured, &object); err != nil {
		log.Fatal(err)
	}
	return object
}

// staff is a fixed list of roles. A program with a settings file uses roles.Open.
type staff []roles.Role

func (s staff) Roles() []roles.Role { return s }

func (s staff) Role(id string) (roles.Role, bool) {
	for _, r := range s {
		if r.ID == id {
			return r, true
		}
	}
	return roles.Role{}, false
}

// serve is the service of the tests. Its agents repeat their prompts.
func serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/models" {
		_ = json.NewEncoder(w).Encode([]executor.Model{{ID: "grey", Name: "Grey parrot", Default: true}})
		return
	}
	var task web.Task
	if err := json.NewDecoder(r.Body).Decode(&task); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if task.Model != "" && task.Model != "grey" {
		http.Error(w, "there is no such parrot", http.StatusNotFound)
		return
	}
	report := func(one web.Report) {
		_ = json.NewEncoder(w).Encode(one)
		_ = http.NewResponseController(w).Flush()
	}
	report(web.Report{Kind: "begin", Session: "session-1"})
	switch task.Prompt {
	case "Fly away.":
		return
	case "Never stop.":
		<-r.Context().Done()
		return
	case "Make noise.":
		_, _ = w.Write(executortest.Noise())
	}
	for word := range strings.FieldsSeq(task.Prompt) {
		report(web.Report{Kind: "text", Text: word + " "})
	}
	report(web.Report{Kind: "done", Text: task.Prompt, Tokens: 7})
}

func TestContract(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(serve))
	t.Cleanup(service.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	executortest.Run(t, executortest.Harness{
		New:          func(*testing.T) executor.Executor { return web.New(web.Options{URL: service.URL}) },
		Answers:      map[string]string{"Say one.": "Say one.", "Say two.": "Say two."},
		Failure:      "Fly away.",
		Endless:      "Never stop.",
		Hostile:      "Make noise.",
		Resumes:      true,
		UnknownModel: "crow",
		Missing:      func(*testing.T) executor.Executor { return web.New(web.Options{URL: closed.URL}) },
	})
}
