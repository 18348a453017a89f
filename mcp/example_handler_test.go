package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
)

// exampleServer returns a server with the given tools.
func exampleServer(opts *mcp.ServerOptions, tools ...mcp.ServerTool) *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "example", Version: "1.0.0"}, opts)
	if err := srv.Replace("example", mcp.Features{Tools: tools}); err != nil {
		log.Fatal(err)
	}
	return srv
}

// exampleConnect connects a client to a server in memory.
func exampleConnect(srv *mcp.Server, opts *mcp.ClientOptions) *mcp.Client {
	client, err := mcp.Connect(context.Background(), transport.InMemory{Server: srv}, exampleClient, opts)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// agree is the Elicit function of a client whose user agrees to every question.
func agree(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
	fmt.Println("user:", form.Message)
	return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"confirmed":true}`)}, nil
}

// The handler asks before it deletes. The client shows the question to its user.
func ExampleConfirm() {
	type args struct {
		Path string `json:"path"`
	}
	remove := mcp.NewTool(mcp.Tool{Name: "delete_note", Annotations: mcp.Destructive()}, func(ctx context.Context, in args) (string, error) {
		if err := mcp.Confirm(ctx, "delete", "Delete "+in.Path+"?"); err != nil {
			return "", err // DECLINED, if the user does not agree
		}
		return "Deleted.", nil
	})
	client := exampleConnect(exampleServer(nil, remove), &mcp.ClientOptions{Elicit: agree})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "delete_note", args{Path: "today.txt"}))
	// Output:
	// user: Delete today.txt?
	// Deleted. <nil>
}

// A question can run the handler again from its start, with the answer. Once keeps the step before the question from being
// repeated: the order is placed a single time.
func ExampleOnce() {
	orders := 0
	order := mcp.NewTool(mcp.Tool{Name: "order"}, func(ctx context.Context, _ struct{}) (string, error) {
		number, err := mcp.Once(ctx, "order", func() (int, error) {
			orders++
			return 100 + orders, nil
		})
		if err != nil {
			return "", err
		}
		if err := mcp.Confirm(ctx, "pay", fmt.Sprintf("Pay for order %d?", number)); err != nil {
			return "", err
		}
		return fmt.Sprintf("Paid for order %d.", number), nil
	})
	client := exampleConnect(exampleServer(nil, order), &mcp.ClientOptions{Elicit: agree})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "order", nil))
	fmt.Println("orders:", orders)
	// Output:
	// user: Pay for order 101?
	// Paid for order 101. <nil>
	// orders: 1
}

// Questions that do not depend on each other reach the user in one round.
func ExampleAskAll() {
	type size struct {
		Size string `json:"size" jsonschema:"enum=small,enum=large"`
	}
	type name struct {
		Name string `json:"name"`
	}
	order := mcp.NewTool(mcp.Tool{Name: "order"}, func(ctx context.Context, _ struct{}) (string, error) {
		first, err := mcp.FormQuestion[size]("size", "Which size?")
		if err != nil {
			return "", err
		}
		second, err := mcp.FormQuestion[name]("name", "For whom?")
		if err != nil {
			return "", err
		}
		answers, err := mcp.AskAll(ctx, first, second)
		if err != nil {
			return "", err
		}
		chosen, err := mcp.DecodeAnswer[size](answers[0])
		if err != nil {
			return "", err
		}
		who, err := mcp.DecodeAnswer[name](answers[1])
		return fmt.Sprintf("A %s coffee for %s.", chosen.Value.Size, who.Value.Name), err
	})
	client := exampleConnect(exampleServer(nil, order), &mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			if form.Message == "For whom?" {
				return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
			}
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"size":"large"}`)}, nil
		},
	})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "order", nil))
	// Output: A large coffee for Ada. <nil>
}

// A secret goes into a page of the browser, not through the client and the model.
func ExampleElicitURL() {
	connect := mcp.NewTool(mcp.Tool{Name: "connect_account"}, func(ctx context.Context, _ struct{}) (string, error) {
		action, err := mcp.ElicitURL(ctx, "login", "Log in to connect the account.", "https://example.com/login")
		if err != nil || action != mcp.Accept {
			return "Not connected.", err
		}
		return "The user is logging in.", nil
	})
	client := exampleConnect(exampleServer(nil, connect), &mcp.ClientOptions{
		ElicitURL: func(_ context.Context, message, url string) (mcp.Action, error) {
			fmt.Println(message, url) // ask, then open the page
			return mcp.Accept, nil
		},
	})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "connect_account", nil))
	// Output:
	// Log in to connect the account. https://example.com/login
	// The user is logging in. <nil>
}

// A handler adapts to clients that cannot ask their user.
func ExampleSupports() {
	paint := mcp.NewTool(mcp.Tool{Name: "paint"}, func(ctx context.Context, _ struct{}) (string, error) {
		if !mcp.Supports(ctx, mcp.CapElicitForm) {
			return "Painted white, the default.", nil
		}
		return "Painted as asked.", mcp.Confirm(ctx, "blue", "Paint it blue?")
	})
	for _, opts := range []*mcp.ClientOptions{nil, {Elicit: agree}} {
		client := exampleConnect(exampleServer(nil, paint), opts)
		fmt.Println(mcp.Call[string](context.Background(), client, "paint", nil))
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// Painted white, the default. <nil>
	// user: Paint it blue?
	// Painted as asked. <nil>
}

// Progress reaches the callers that ask for it; for others it costs nothing.
func ExampleProgress() {
	render := mcp.NewTool(mcp.Tool{Name: "render"}, func(ctx context.Context, _ struct{}) (string, error) {
		for page := 1; page <= 2; page++ {
			mcp.Progress(ctx, float64(page), 2, fmt.Sprintf("page %d", page))
		}
		return "rendered", nil
	})
	client := exampleConnect(exampleServer(nil, render), nil)
	defer client.Close()
	result, err := client.CallTool(context.Background(), "render", nil, &mcp.CallOptions{
		OnProgress: func(n protocol.ProgressNotification) { fmt.Println(n.Progress, "of", n.Total, n.Message) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(mcp.TextContent).Text)
	// Output:
	// 1 of 2 page 1
	// 2 of 2 page 2
	// rendered
}

// A client that asks for a level receives the messages of its own calls.
func ExampleLog() {
	build := mcp.NewTool(mcp.Tool{Name: "build"}, func(ctx context.Context, _ struct{}) (string, error) {
		mcp.Log(ctx, protocol.LevelDebug, "compiler", "reading files")
		mcp.Log(ctx, protocol.LevelWarning, "compiler", map[string]any{"unused": "x"})
		return "built", nil
	})
	logged := make(chan protocol.LogNotification, 1)
	client := exampleConnect(exampleServer(nil, build), &mcp.ClientOptions{LogLevel: protocol.LevelInfo, OnLog: func(n protocol.LogNotification) { logged <- n }})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "build", nil))
	n := <-logged
	fmt.Println(n.Level, n.Logger, string(n.Data))
	// Output:
	// built <nil>
	// warning compiler {"unused":"x"}
}

// A program logs with slog. The records of a call also go to its client.
func ExampleNewLogHandler() {
	logger := slog.New(mcp.NewLogHandler(slog.NewTextHandler(os.Stderr, nil)))
	build := mcp.NewTool(mcp.Tool{Name: "build"}, func(ctx context.Context, _ struct{}) (string, error) {
		logger.InfoContext(ctx, "compiled", "files", 3)
		return "built", nil
	})
	logged := make(chan protocol.LogNotification, 1)
	client := exampleConnect(exampleServer(nil, build), &mcp.ClientOptions{LogLevel: protocol.LevelInfo, OnLog: func(n protocol.LogNotification) { logged <- n }})
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "build", nil))
	fmt.Println((<-logged).Level)
	// Output:
	// built <nil>
	// info
}

// CallFrom tells a handler, or middleware, which request runs.
func ExampleCallFrom() {
	who := mcp.NewTool(mcp.Tool{Name: "who"}, func(ctx context.Context, _ struct{}) (string, error) {
		call := mcp.CallFrom(ctx)
		return fmt.Sprintf("%s for %s over %s", call.Tool, call.Request.Meta.Client().Name, call.Request.Peer.Transport), nil
	})
	client := exampleConnect(exampleServer(nil, who), nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "who", nil))
	// Output: who for example over memory <nil>
}

// A call that takes long becomes a task after its questions. The client waits for the task by itself.
func ExampleBecomeTask() {
	runner := tasks.New(&tasks.Options{PollInterval: 10 * time.Millisecond})
	defer runner.Close()
	deploy := mcp.NewTool(mcp.Tool{Name: "deploy"}, func(ctx context.Context, _ struct{}) (string, error) {
		if err := mcp.Confirm(ctx, "sure", "Deploy to production?"); err != nil {
			return "", err
		}
		if err := mcp.BecomeTask(ctx); err != nil {
			return "", err
		}
		return fmt.Sprintf("deployed in a task: %v", mcp.InTask(ctx)), nil
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional, DeferTask: true})
	opts := &mcp.ClientOptions{Elicit: agree}
	tasks.Declare(opts)
	client := exampleConnect(exampleServer(&mcp.ServerOptions{Tasks: runner}, deploy), opts)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "deploy", nil))
	// Output:
	// user: Deploy to production?
	// deployed in a task: true <nil>
}

// Two calls of all tools with the gate run at once. Others wait for a place, and their limit of time does not run meanwhile.
func ExampleNewGate() {
	gate := mcp.NewGate(2)
	compile := func(context.Context, struct{}) (string, error) { return "compiled", nil }
	tool := mcp.NewTool(mcp.Tool{Name: "compile"}, compile).With(mcp.ToolOptions{Gate: gate, Timeout: time.Minute})
	client := exampleConnect(exampleServer(nil, tool), nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "compile", nil))
	// Output: compiled <nil>
}

// Middleware of a server sees every request: lists, reads and calls.
func ExampleServer_Use() {
	srv := exampleServer(nil, mcp.NewTool(mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil }))
	srv.Use(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if tool, _, ok := mcp.ToolCall(req); ok {
				fmt.Println(req.Method, tool)
			}
			return next(ctx, req)
		}
	})
	client := exampleConnect(srv, nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "greet", nil))
	// Output:
	// tools/call greet
	// Hello <nil>
}

// Middleware of tools sees the calls of all tools, with arguments that the schema has checked. Its error is a result for the model.
func ExampleServer_UseTools() {
	type args struct {
		City string `json:"city"`
	}
	srv := exampleServer(nil, mcp.NewTool(mcp.Tool{Name: "weather"}, func(_ context.Context, in args) (string, error) { return "sunny in " + in.City, nil }))
	calls := 0
	srv.UseTools(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			if calls++; calls > 1 {
				return nil, &mcp.ToolError{Code: "TOO_MANY", Message: "the calls of today are used up", Next: "try again tomorrow"}
			}
			fmt.Println(mcp.CallFrom(ctx).Tool, string(args))
			return next(ctx, args)
		}
	})
	client := exampleConnect(srv, nil)
	defer client.Close()
	for range 2 {
		fmt.Println(mcp.Call[string](context.Background(), client, "weather", args{City: "Kyoto"}))
	}
	// Output:
	// weather {"city":"Kyoto"}
	// sunny in Kyoto <nil>
	//  weather: TOO_MANY: the calls of today are used up
	// Next step: try again tomorrow
}

// Wrap puts middleware around one tool.
func ExampleServerTool_Wrap() {
	greet := mcp.NewTool(mcp.Tool{Name: "greet"}, func(context.Context, struct{}) (string, error) { return "Hello", nil })
	louder := greet.Wrap(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			result, err := next(ctx, args)
			if err != nil {
				return nil, err
			}
			return mcp.Text(result.Content[0].(mcp.TextContent).Text + "!"), nil
		}
	}).Named("greet_loudly")
	client := exampleConnect(exampleServer(nil, greet, louder), nil)
	defer client.Close()
	fmt.Println(mcp.Call[string](context.Background(), client, "greet", nil))
	fmt.Println(mcp.Call[string](context.Background(), client, "greet_loudly", nil))
	// Output:
	// Hello <nil>
	// Hello! <nil>
}

// A tool can be called in process, without a server: with the checks of its arguments, its limits of time and its gate.
func ExampleServerTool_Call() {
	type args struct {
		Seconds int `json:"seconds" jsonschema:"minimum=0"`
	}
	wait := mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, in args) (string, error) {
		select {
		case <-time.After(time.Duration(in.Seconds) * time.Second):
			return "waited", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}).With(mcp.ToolOptions{Timeout: 10 * time.Millisecond})
	for _, in := range []string{`{"seconds":0}`, `{"seconds":-1}`, `{"seconds":60}`} {
		result, err := wait.Call(context.Background(), json.RawMessage(in))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %q\n", result.IsError, result.ErrorCode())
	}
	// Output:
	// false ""
	// true "INVALID_PARAMS"
	// true "TIMEOUT"
}

// Authorize decides by the sender and the tool. A refused tool is not listed, and cannot be called.
func ExampleServerOptions() {
	read := mcp.NewTool(mcp.Tool{Name: "read_notes", Annotations: mcp.ReadOnly()}, func(context.Context, struct{}) (string, error) { return "milk", nil })
	write := mcp.NewTool(mcp.Tool{Name: "write_note"}, func(context.Context, struct{}) (string, error) { return "written", nil })
	srv := exampleServer(&mcp.ServerOptions{
		Authorize: func(_ context.Context, req *protocol.Request, tool mcp.ServerTool) error {
			if req.Peer.Principal != "alice" && tool.Tool().DefaultPermission() != mcp.PermissionRead {
				return errors.New("only alice may write")
			}
			return nil
		},
	}, read, write)
	for _, principal := range []string{"alice", "bob"} {
		ctx := protocol.WithPrincipal(context.Background(), principal) // a server over HTTP has it from the token
		client, err := mcp.Connect(ctx, transport.InProcess{Server: srv}, exampleClient, nil)
		if err != nil {
			log.Fatal(err)
		}
		for tool, err := range client.Tools(ctx) {
			fmt.Println(principal, "sees", tool.Name, err)
		}
		_, err = mcp.Call[string](ctx, client, "write_note", nil)
		fmt.Println(err)
		if err := client.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// alice sees read_notes <nil>
	// alice sees write_note <nil>
	// <nil>
	// bob sees read_notes <nil>
	// write_note: only alice may write
}

// A raw tool has a schema that is known at run time only, for example from a file.
func ExampleNewRawTool() {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","minLength":1}},"required":["text"]}`)
	echo := mcp.NewRawTool(mcp.Tool{Name: "echo", InputSchema: schema}, func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.Text(string(args)), nil
	})
	for _, args := range []string{`{"text":"hi"}`, `{"text":""}`} {
		result, err := echo.Call(context.Background(), json.RawMessage(args))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Content[0].(mcp.TextContent).Text)
	}
	// Output:
	// {"text":"hi"}
	// INVALID_PARAMS: text: must have at least 1 character, got 0
	// Next step: correct the arguments and call again
}

// The fields of the struct are the arguments, and their tags are the schema.
func ExampleAddTool() {
	type args struct {
		City string `json:"city" jsonschema:"minLength=1,description=Name of the city"`
		Days int    `json:"days,omitempty" jsonschema:"minimum=1,maximum=7,default=3"`
	}
	type forecast struct {
		Weather []string `json:"weather"`
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "weather", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "forecast", Description: "Returns the weather of the next days."},
		func(_ context.Context, in args) (forecast, error) {
			return forecast{Weather: make([]string, in.Days)}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(srv.Tools()[0].InputSchema))
	client := exampleConnect(srv, nil)
	defer client.Close()
	out, err := mcp.Call[forecast](context.Background(), client, "forecast", map[string]any{"city": "Kyoto"})
	fmt.Println(len(out.Weather), err)
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"Name of the city","minLength":1},"days":{"type":"integer","maximum":7,"minimum":1,"default":3}},"required":["city"],"additionalProperties":false}
	// 3 <nil>
}

// A resource is read by its URI. The media type and the URI of the contents default to those of the resource.
func ExampleAddResource() {
	srv := mcp.NewServer(mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	err := mcp.AddResource(srv, mcp.Resource{URI: "notes:///today", Name: "today", MIMEType: "text/plain"},
		func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: "buy milk"}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	client := exampleConnect(srv, nil)
	defer client.Close()
	result, err := client.ReadResource(context.Background(), "notes:///today", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Contents[0].MIMEType, result.Contents[0].Text)
	// Output: text/plain buy milk
}

// A template is a family of resources; its variables are the fields of a struct. A variable with an enumeration has completions,
// other variables get them from a function of ServerTemplate.Complete.
func ExampleAddTemplate() {
	type row struct {
		Table string `json:"table" jsonschema:"enum=users,enum=orders"`
		ID    string `json:"id" jsonschema:"pattern=^[0-9]+$"`
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "database", Version: "1.0.0"}, nil)
	err := mcp.AddTemplate(srv, mcp.ResourceTemplate{URITemplate: "db:///{table}/{id}", Name: "row"},
		func(_ context.Context, _ string, in row) ([]mcp.ResourceContents, error) {
			if in.ID != "7" {
				return nil, nil // no contents: the resource does not exist
			}
			return []mcp.ResourceContents{{Text: "row 7 of " + in.Table}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client := exampleConnect(srv, nil)
	defer client.Close()
	tables, err := client.CompleteResource(ctx, "db:///{table}/{id}", "table", "u", nil)
	fmt.Println(tables.Values, err)
	result, err := client.ReadResource(ctx, "db:///users/7", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Contents[0].Text)
	_, err = client.ReadResource(ctx, "db:///users/8", nil)
	fmt.Println(mcp.IsResourceNotFound(err))
	// Output:
	// [users] <nil>
	// row 7 of users
	// true
}

// A prompt starts a conversation. Its arguments are the fields of a struct.
func ExampleAddPrompt() {
	type args struct {
		Path string `json:"path" jsonschema:"description=File to review"`
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "reviews", Version: "1.0.0"}, nil)
	err := mcp.AddPrompt(srv, mcp.Prompt{Name: "review", Description: "Reviews a file."},
		func(_ context.Context, in args) (*mcp.PromptResult, error) {
			return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText("Review " + in.Path + ".")}}, nil
		})
	if err != nil {
		log.Fatal(err)
	}
	client := exampleConnect(srv, nil)
	defer client.Close()
	prompt, err := client.GetPrompt(context.Background(), "review", map[string]string{"path": "main.go"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prompt.Messages[0].Content.(mcp.TextContent).Text)
	// Output: Review main.go.
}

// Call decodes the result of a tool. A failure of the tool is a *ToolFailure, a failure of the request is another error.
func ExampleCall() {
	client := exampleConnect(exampleServer(nil, mcp.NewTool(mcp.Tool{Name: "divide"}, divide)), nil)
	defer client.Close()
	ctx := context.Background()
	for _, args := range []DivideArgs{{A: 1, B: 4}, {A: 1}} {
		out, err := mcp.Call[DivideResult](ctx, client, "divide", args)
		if failure, ok := errors.AsType[*mcp.ToolFailure](err); ok {
			fmt.Println("the tool failed:", failure.ErrorCode())
			continue
		}
		fmt.Println(out.Quotient, err)
	}
	// Output:
	// 0.25 <nil>
	// the tool failed: DIVISION_BY_ZERO
}

// CallTool returns the result as it is: blocks, structured content and the mark of an error.
func ExampleClient_CallTool() {
	client := exampleConnect(exampleServer(nil, mcp.NewTool(mcp.Tool{Name: "divide"}, divide)), nil)
	defer client.Close()
	result, err := client.CallTool(context.Background(), "divide", DivideArgs{A: 1, B: 4}, &mcp.CallOptions{Timeout: 5 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.IsError, string(result.Structured), len(result.Blocks()))
	// Output: false {"quotient":0.25} 1
}

// Tools reads all pages of the list.
func ExampleClient_Tools() {
	greet := mcp.NewTool(mcp.Tool{Name: "greet", Description: "Greets a person."}, func(context.Context, struct{}) (string, error) { return "Hello", nil })
	client := exampleConnect(exampleServer(nil, greet), nil)
	defer client.Close()
	for tool, err := range client.Tools(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, "-", tool.Description)
	}
	// Output: greet - Greets a person.
}

// Connect works with every transport; here it is a pipe in memory.
func ExampleConnect() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "empty", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "There is nothing to do."})
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	fmt.Println(client.Server().Server.Name, client.Revision(), client.Server().Instructions)
	// Output: empty 2026-07-28 There is nothing to do.
}
