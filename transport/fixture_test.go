package transport_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type notePath struct {
	Folder string `json:"folder" jsonschema:"maxLength=8"`
	Name   string `json:"name"`
	Ext    string `json:"ext" jsonschema:"enum=md,enum=txt"`
	Lang   string `json:"lang,omitempty"`
}

type summaryArgs struct {
	Topic string `json:"topic" jsonschema:"title=Topic,description=What it is about,minLength=1"`
	Style string `json:"style,omitempty" jsonschema:"enum=short,enum=long,default=short"`
}

// addFeatures adds resources, templates and prompts of every form to a server,
// and a tool that changes them.
func addFeatures(t testing.TB, srv *mcp.Server) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	edit := mcp.NewTool(mcp.Tool{Name: "edit"}, func(context.Context, struct{}) (string, error) {
		time.AfterFunc(time.Second, func() {
			srv.ResourceUpdated("note://readme")
			srv.ResourceUpdated("note://folder/deep/a.md")
			srv.ResourceUpdated("note://folders")
			must(srv.Replace("more", mcp.Features{
				Prompts:   []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "new"}, empty)},
				Templates: []mcp.ServerTemplate{mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "new:{x}", Name: "new"}, nothing)},
			}))
		})
		return "editing", nil
	}).With(mcp.ToolOptions{Unlisted: true})
	must(srv.Replace("notes", mcp.Features{Tools: []mcp.ServerTool{edit}, Resources: notes(), Templates: noteTemplates(), Prompts: notePrompts()}))
}

func empty(context.Context, struct{}) (*mcp.PromptResult, error) { return nil, nil }

func nothing(context.Context, string, struct{}) ([]mcp.ResourceContents, error) { return nil, nil }

func text(s string) mcp.ReadHandler {
	return func(context.Context, string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{{Text: s}}, nil
	}
}

func fails(err error) mcp.ReadHandler {
	return func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, err }
}

func notes() []mcp.ServerResource {
	return []mcp.ServerResource{
		mcp.NewResource(mcp.Resource{
			URI: "note://readme", Name: "readme", Title: "Read me", Description: "Read this first.", MIMEType: "text/plain", Size: new(int64(5)),
			Annotations: &mcp.Annotations{Audience: []string{"user"}, Priority: new(0.0), LastModified: "2026-07-28T00:00:00Z"},
			Icons:       []protocol.Icon{{Src: "https://example.com/note.png", Sizes: []string{"any"}}}, Meta: mcp.Meta{"example.com/shelf": 1},
		}, text("hello")).With(mcp.ResourceOptions{Cache: &protocol.CacheHint{TTLMillis: 60000, Public: true}}),
		mcp.NewResource(mcp.Resource{URI: "note://logo", Name: "logo", MIMEType: "image/png"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Blob: []byte("png"), Meta: mcp.Meta{"example.com/width": 1}}}, nil
		}),
		mcp.NewResource(mcp.Resource{URI: "note://folder/", Name: "folder", MIMEType: "inode/directory"}, func(_ context.Context, uri string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{URI: uri + "a.md", MIMEType: "text/markdown", Text: "# a"}, {URI: uri + "b", Blob: []byte{}}}, nil
		}),
		mcp.NewResource(mcp.Resource{URI: "note://gone", Name: "gone"}, fails(fmt.Errorf("opening: %w", fs.ErrNotExist))),
		mcp.NewResource(mcp.Resource{URI: "note://empty", Name: "empty"}, fails(nil)),
		mcp.NewResource(mcp.Resource{URI: "note://busy", Name: "busy"}, fails(&mcp.ToolError{Code: "BUSY", Message: "somebody writes it", Next: "try again"})),
		mcp.NewResource(mcp.Resource{URI: "note://boom", Name: "boom"}, func(context.Context, string) ([]mcp.ResourceContents, error) { panic("boom") }),
		mcp.NewResource(mcp.Resource{URI: "note://hidden", Name: "hidden"}, text("not listed")).With(mcp.ResourceOptions{Unlisted: true}),
		mcp.NewResource(mcp.Resource{URI: "note://private", Name: "private"}, func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) {
			if err := mcp.Confirm(ctx, "sure", "Show the private note?"); err != nil {
				return nil, err
			}
			return []mcp.ResourceContents{{Text: "secret"}}, nil
		}),
	}
}

func noteTemplates() []mcp.ServerTemplate {
	return []mcp.ServerTemplate{
		mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "note://{+any}", Name: "any"}, func(_ context.Context, uri string, in map[string]string) ([]mcp.ResourceContents, error) {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "There is no note at %s", in["any"])
		}),
		mcp.NewTemplate(mcp.ResourceTemplate{
			URITemplate: "note://{folder}/{name}.{ext}{?lang}", Name: "note", Title: "Note", Description: "A note in a folder.", MIMEType: "text/plain",
			Annotations: &mcp.Annotations{Audience: []string{"assistant"}}, Icons: []protocol.Icon{{Src: "https://example.com/note.png"}}, Meta: mcp.Meta{"example.com/shelf": 2},
		}, func(_ context.Context, _ string, in notePath) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: fmt.Sprintf("%+v", in)}}, nil
		}).Complete("folder", func(_ context.Context, value string, others map[string]string) (mcp.Completion, error) {
			return mcp.Completion{Values: []string{value + "1", value + others["name"]}, Total: 7}, nil
		}),
	}
}

func notePrompts() []mcp.ServerPrompt {
	return []mcp.ServerPrompt{
		mcp.NewPrompt(mcp.Prompt{
			Name: "summarize", Title: "Summarize", Description: "Makes it shorter.",
			Icons: []protocol.Icon{{Src: "https://example.com/s.png"}}, Meta: mcp.Meta{"example.com/shelf": 3},
		}, func(_ context.Context, in summaryArgs) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Description: "A summary", Messages: []mcp.PromptMessage{
				mcp.UserText("Summarize " + in.Topic + ", " + in.Style + "."), mcp.AssistantText("I shall."),
			}}, nil
		}).Complete("topic", func(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
			if value == "x" {
				return mcp.Completion{}, &mcp.ToolError{Code: "BUSY", Message: "the index is being made"}
			}
			many := make([]string, 120)
			for i := range many {
				many[i] = fmt.Sprint(value, i)
			}
			return mcp.Completion{Values: many}, nil
		}),
		mcp.NewPrompt(mcp.Prompt{Name: "media"}, func(context.Context, struct{}) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{
				{Role: mcp.RoleUser, Content: mcp.AudioContent{Data: []byte("wav"), MIMEType: "audio/wav"}},
				{Role: mcp.RoleUser, Content: mcp.ResourceLink{URI: "note://readme", Name: "readme"}},
				{Role: mcp.RoleAssistant, Content: mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "note://logo", Blob: []byte("png")}}},
			}}, nil
		}),
		mcp.NewPrompt(mcp.Prompt{Name: "meet"}, func(ctx context.Context, _ struct{}) (*mcp.PromptResult, error) {
			answer, err := mcp.Elicit[person](ctx, "who", "Who are you?")
			if err != nil {
				return nil, err
			}
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("I am " + answer.Value.Name)}}, nil
		}),
		mcp.NewPrompt(mcp.Prompt{Name: "free", Arguments: []mcp.PromptArgument{{Name: "a", Required: true}, {Name: "b"}}}, func(_ context.Context, in map[string]string) (*mcp.PromptResult, error) {
			return nil, &mcp.ToolError{Code: "INVALID_PARAMS", Message: "a must not be " + in["a"]}
		}),
		mcp.NewPrompt(mcp.Prompt{Name: "nothing"}, empty),
	}
}
