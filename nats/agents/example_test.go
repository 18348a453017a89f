package agents_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/dougu-go/dougu/internal/group"
	natsagents "github.com/dougu-go/dougu/nats/agents"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

// A server and a runner, which here are one program. On different machines each has a connection and a Store of its own.
func Example() {
	natsURL, stop := natstest.Serve() // the NATS that you have
	defer stop()
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	nc, err := nats.Connect(natsURL, nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	running := runner(ctx, nc, dir)
	serve(ctx, nc, dir)
	cancel()
	running.Wait()
	// Output: completed here 1 I have read it. <nil>
}

// runner runs agents.
func runner(ctx context.Context, nc *nats.Conn, dir string) *group.Group {
	store, err := natsagents.New(ctx, nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	cursor := actor{func(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Said, Text: "I have read it."})
		return executor.Exit{Finished: true}, nil
	}} // that of package cursor is one that does something
	r, err := natsagents.NewRunner(store, natsagents.RunnerOptions{Name: "here", Executors: []executor.Executor{cursor}, Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	running := new(group.Group)
	running.Go(func() {
		if err := r.Run(ctx); err != nil {
			log.Print(err)
		}
		store.Close()
	})
	return running
}

// serve orders an agent.
func serve(ctx context.Context, nc *nats.Conn, dir string) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()
	book, err := roles.Open(filepath.Join(dir, "roles.yaml")) // the built-in ones
	if err != nil {
		log.Fatal(err)
	}
	store, err := natsagents.New(ctx, nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	member, err := store.Serve(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer member.Close()
	crew, err := agents.New(ctx, tools.Env{Root: root}, agents.Options{
		Executors: []executor.Executor{member.Executor(natsagents.ExecutorOptions{Program: "fake", Attempts: 2})},
		Roles:     book, Store: store, Log: store.Log(), Outputs: store.Outputs(), Peers: member,
		MaxConcurrent: 100, Stagger: -1,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer crew.Close(ctx)
	g, err := crew.CreateGroup(ctx, agents.GroupArgs{Description: "reading"})
	if err != nil {
		log.Fatal(err)
	}
	run, err := crew.Run(ctx, agents.RunArgs{GroupID: g.GroupID, Role: "code-review", Prompt: "Read it."})
	if err != nil {
		log.Fatal(err)
	}
	if _, err = crew.Wait(ctx, agents.WaitArgs{AgentIDs: []string{run.AgentID}}); err != nil {
		log.Fatal(err)
	}
	is, err := crew.Status(ctx, agents.StatusArgs{AgentID: run.AgentID})
	fmt.Println(is.Status, is.Runner, is.Attempt, is.LastAssistantMessage, err)
}
