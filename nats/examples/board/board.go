package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/mcp"
)

// board is the notes, which all instances have in common, and the tools.
type board struct {
	srv      *mcp.Server
	instance string
	notes    jetstream.KeyValue
	watch    jetstream.KeyWatcher
	running  sync.WaitGroup
}

// openBoard offers the notes as resources of srv, and tools to write them.
func openBoard(ctx context.Context, nc *nats.Conn, srv *mcp.Server, instance string) (*board, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	b := &board{srv: srv, instance: instance}
	if b.notes, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "board-notes"}); err != nil {
		return nil, fmt.Errorf("opening the notes: %w", err)
	}
	err = srv.Replace("tools", mcp.Features{
		Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "who", Description: "Says which instance answers."}, b.who),
			mcp.NewTool(mcp.Tool{Name: "sign", Description: "Asks for a name and signs the board with it."}, b.sign),
			mcp.NewTool(mcp.Tool{Name: "work", Description: "Works for a while and tells how far it is."}, b.work),
			mcp.NewTool(mcp.Tool{Name: "write", Description: "Writes a note."}, b.write),
		},
		// Until there is a note, the kind exists all the same.
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "note://help", Name: "help"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: "note://help", Text: "Write notes with the tool write."}}, nil
		})},
	})
	if err == nil {
		b.watch, err = b.notes.WatchAll(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("offering the notes: %w", err)
	}
	b.running.Go(b.follow)
	return b, nil
}

func (b *board) close() {
	_ = b.watch.Stop() // without a connection it has stopped
	b.running.Wait()
}

// follow registers every note as a resource, also the notes of other instances: all
// instances must offer the same resources.
func (b *board) follow() {
	for note := range b.watch.Updates() {
		if note == nil || note.Operation() != jetstream.KeyValuePut {
			continue
		}
		uri := "note://" + note.Key()
		offer := mcp.Features{Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: uri, Name: note.Key()}, b.read)}}
		if err := b.srv.Replace(uri, offer); err != nil {
			slog.Warn("a note cannot be offered", "error", err)
		}
	}
}

func (b *board) read(ctx context.Context, uri string) ([]mcp.ResourceContents, error) {
	note, err := b.notes.Get(ctx, uri[len("note://"):])
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{{URI: uri, Text: string(note.Value())}}, nil
}

type writeArgs struct {
	Name string `json:"name" jsonschema:"pattern=^[a-z0-9]+$,maxLength=64,description=What the note is called"`
	Text string `json:"text" jsonschema:"maxLength=10000,description=What it says"`
}

func (b *board) write(ctx context.Context, in writeArgs) (string, error) {
	if _, err := b.notes.PutString(ctx, in.Name, in.Text); err != nil {
		return "", err
	}
	b.srv.ResourceUpdated("note://" + in.Name) // ShareChanges has the other instances tell it too
	return "written at " + b.instance, nil
}

func (b *board) who(context.Context, struct{}) (string, error) { return b.instance, nil }

type signature struct {
	Name string `json:"name" jsonschema:"minLength=1"`
}

func (b *board) sign(ctx context.Context, _ struct{}) (string, error) {
	answer, err := mcp.Elicit[signature](ctx, "name", "What is your name?")
	if err != nil {
		return "", err
	}
	if answer.Action != mcp.Accept {
		return "", errors.New("the board was not signed")
	}
	return answer.Value.Name + " at " + b.instance, nil
}

type workArgs struct {
	Job     string  `json:"job" jsonschema:"description=What to work on"`
	Seconds float64 `json:"seconds" jsonschema:"minimum=0,maximum=600,description=For how long"`
}

func (b *board) work(ctx context.Context, in workArgs) (string, error) {
	slog.Info("work begins", "job", in.Job)
	end := time.Now().Add(time.Duration(in.Seconds * float64(time.Second)))
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; time.Now().Before(end); n++ {
		mcp.Progress(ctx, float64(n), in.Seconds*10, "")
		select {
		case <-ticker.C:
		case <-ctx.Done():
			slog.Info("work was cancelled", "job", in.Job)
			return "", context.Cause(ctx)
		}
	}
	return in.Job + " done at " + b.instance, nil
}
