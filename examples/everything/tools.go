package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type echoArgs struct {
	Message string `json:"message" jsonschema:"Text to send back"`
}

type annotatedArgs struct {
	MessageType  string `json:"messageType" jsonschema:"enum=error,enum=success,enum=debug,description=Kind of the message"`
	IncludeImage bool   `json:"includeImage,omitempty" jsonschema:"default=false,description=Add an image"`
}

type linksArgs struct {
	Count int `json:"count,omitempty" jsonschema:"default=3,minimum=1,maximum=10,description=Number of links"`
}

type referenceArgs struct {
	ResourceType string `json:"resourceType,omitempty" jsonschema:"enum=Text,enum=Blob,default=Text"`
	ResourceID   int    `json:"resourceId,omitempty" jsonschema:"default=1,minimum=1,description=Number of the resource"`
}

type weatherArgs struct {
	Location string `json:"location" jsonschema:"enum=New York,enum=Chicago,enum=Los Angeles,description=City"`
}

type weather struct {
	Temperature float64 `json:"temperature" jsonschema:"In degrees Celsius"`
	Conditions  string  `json:"conditions" jsonschema:"In words"`
	Humidity    float64 `json:"humidity" jsonschema:"In percent"`
}

type sumArgs struct {
	A float64 `json:"a" jsonschema:"First number"`
	B float64 `json:"b" jsonschema:"Second number"`
}

type gzipArgs struct {
	Name       string `json:"name,omitempty" jsonschema:"default=README.md.gz,description=Name of the compressed file"`
	Data       string `json:"data,omitempty" jsonschema:"format=uri,default=https://raw.githubusercontent.com/modelcontextprotocol/servers/refs/heads/main/README.md,description=URL or data URI of the file"`
	OutputType string `json:"outputType,omitempty" jsonschema:"enum=resourceLink,enum=resource,default=resourceLink,description=Result: a link or the contents"`
}

type longArgs struct {
	Duration float64 `json:"duration,omitempty" jsonschema:"default=10,minimum=0,maximum=3600,description=Duration in seconds"`
	Steps    int     `json:"steps,omitempty" jsonschema:"default=5,minimum=1,maximum=1000,description=Number of steps"`
}

// hints returns the annotations of a tool that destroys nothing.
func hints(readOnly, idempotent, openWorld bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnly: &readOnly, Destructive: new(false), Idempotent: &idempotent, OpenWorld: &openWorld}
}

func (e *everything) addTools() error {
	reads := hints(true, true, false)
	return errors.Join(
		mcp.AddTool(e.server, mcp.Tool{Name: "echo", Title: "Echo Tool", Description: "Sends a text back.", Annotations: reads}, echo),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-annotated-message", Title: "Get Annotated Message Tool",
			Description: "Returns blocks with annotations.", Annotations: reads}, annotated),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-env", Title: "Print Environment Tool",
			Description: "Returns the environment of the server, to find mistakes in its configuration.", Annotations: reads}, environment),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-resource-links", Title: "Get Resource Links Tool",
			Description: "Returns links to resources.", Annotations: reads}, links),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-resource-reference", Title: "Get Resource Reference Tool",
			Description: "Returns the contents of a resource.", Annotations: reads}, reference),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-structured-content", Title: "Get Structured Content Tool",
			Description: "Returns the weather of a city as structured content.", Annotations: reads}, structured),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-sum", Title: "Get Sum Tool", Description: "Adds two numbers.", Annotations: reads}, sum),
		mcp.AddTool(e.server, mcp.Tool{Name: "get-tiny-image", Title: "Get Tiny Image Tool", Description: "Returns a small image.", Annotations: reads},
			func(context.Context, mcp.None) ([]mcp.Content, error) {
				text := func(text string) mcp.Content { return mcp.TextContent{Text: text} }
				return []mcp.Content{text("Here's the image you requested:"), tinyImage(nil), text("The image above is the MCP logo.")}, nil
			}),
		mcp.AddTool(e.server, mcp.Tool{Name: "gzip-file-as-resource", Title: "GZip File as Resource Tool",
			Description: "Compresses a file and offers it as a resource.", Annotations: hints(false, true, true)}, e.gzip),
		mcp.AddTool(e.server, mcp.Tool{Name: "toggle-simulated-logging", Title: "Toggle Simulated Logging",
			Description: "Switches log messages on or off, which later calls of the switch send.", Annotations: hints(false, false, false)}, e.toggleLogging),
		mcp.AddTool(e.server, mcp.Tool{Name: "toggle-subscriber-updates", Title: "Toggle Subscriber Updates",
			Description: "Switches updates of all subscribed resources on or off, one each five seconds.", Annotations: hints(false, false, false)}, e.toggleUpdates),
		mcp.AddTool(e.server, mcp.Tool{Name: "trigger-long-running-operation", Title: "Trigger Long Running Operation Tool",
			Description: "Takes a while and reports its progress.", Annotations: reads}, longRunning),
	)
}

func echo(_ context.Context, in echoArgs) (string, error) { return "Echo: " + in.Message, nil }

func annotated(_ context.Context, in annotatedArgs) ([]mcp.Content, error) {
	block := map[string]mcp.TextContent{
		"error":   {Text: "Error: Operation failed", Annotations: annotations(1, "user", "assistant")},
		"success": {Text: "Operation completed successfully", Annotations: annotations(0.7, "user")},
		"debug":   {Text: "Debug: Cache hit ratio 0.95, latency 150ms", Annotations: annotations(0.3, "assistant")},
	}[in.MessageType]
	if !in.IncludeImage {
		return []mcp.Content{block}, nil
	}
	return []mcp.Content{block, tinyImage(annotations(0.5, "user"))}, nil
}

func annotations(priority float64, audience ...string) *mcp.Annotations {
	return &mcp.Annotations{Priority: &priority, Audience: audience}
}

// tinyImage returns an image of 16 points square.
func tinyImage(a *mcp.Annotations) mcp.ImageContent {
	picture := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range 16 {
		picture.SetGray(i, i, color.Gray{Y: 255})
	}
	var data bytes.Buffer
	_ = png.Encode(&data, picture) // a buffer takes everything
	return mcp.ImageContent{Data: data.Bytes(), MIMEType: "image/png", Annotations: a}
}

func environment(context.Context, mcp.None) (string, error) {
	all := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		all[name] = value
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return string(text), err
}

func links(_ context.Context, in linksArgs) ([]mcp.Content, error) {
	all := []mcp.Content{mcp.TextContent{Text: fmt.Sprintf("Here are %d resource links to resources available in this server:", in.Count)}}
	for id := 1; id <= in.Count; id++ {
		kind, what := "Blob", "binary blob resource"
		if id%2 == 0 {
			kind, what = "Text", "plaintext resource"
		}
		all = append(all, mcp.ResourceLink{
			URI: dynamicURI(kind, id), Name: fmt.Sprintf("%s Resource %d", kind, id), MIMEType: "text/plain",
			Description: fmt.Sprintf("Resource %d: %s", id, what),
		})
	}
	return all, nil
}

func reference(_ context.Context, in referenceArgs) ([]mcp.Content, error) {
	contents := dynamic(in.ResourceType, in.ResourceID)
	return []mcp.Content{
		mcp.TextContent{Text: fmt.Sprintf("Returning resource reference for Resource %d:", in.ResourceID)},
		mcp.EmbeddedResource{Resource: contents},
		mcp.TextContent{Text: "You can access this resource using the URI: " + contents.URI},
	}, nil
}

func structured(_ context.Context, in weatherArgs) (weather, error) {
	return map[string]weather{
		"New York": {33, "Cloudy", 82}, "Chicago": {36, "Light rain / drizzle", 82}, "Los Angeles": {73, "Sunny / Clear", 48},
	}[in.Location], nil
}

func sum(_ context.Context, in sumArgs) (string, error) {
	return fmt.Sprintf("The sum of %v and %v is %v.", in.A, in.B, in.A+in.B), nil
}

func longRunning(ctx context.Context, in longArgs) (string, error) {
	step := time.Duration(in.Duration / float64(in.Steps) * float64(time.Second))
	for i := range in.Steps {
		select {
		case <-time.After(step):
		case <-ctx.Done():
			return "", ctx.Err()
		}
		mcp.Progress(ctx, float64(i+1), float64(in.Steps), "")
	}
	return fmt.Sprintf("Long running operation completed. Duration: %v seconds, Steps: %d.", in.Duration, in.Steps), nil
}

func (e *everything) gzip(ctx context.Context, in gzipArgs) (mcp.Content, error) {
	data, err := fetch(ctx, in.Data)
	if err != nil {
		return nil, fmt.Errorf("fetch %.200s: %w", in.Data, err)
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	uri := "demo://resource/session/" + url.PathEscape(in.Name)
	contents := mcp.ResourceContents{URI: uri, MIMEType: "application/gzip", Blob: compressed.Bytes()}
	if in.OutputType == "resource" {
		return mcp.EmbeddedResource{Resource: contents}, nil
	}
	file := mcp.Resource{URI: uri, Name: in.Name, MIMEType: "application/gzip"}
	resource := mcp.NewResource(file, func(context.Context, string) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{contents}, nil
	})
	return file.Link(), e.server.Replace("gzip", mcp.Features{Resources: []mcp.ServerResource{resource}}) // the last file alone is kept
}

// maxFile is the largest file that is fetched, in bytes.
const maxFile = 10 << 20

// fetch returns the data of a data URI, or the file of a URL in a domain of GZIP_ALLOWED_DOMAINS.
func fetch(ctx context.Context, from string) ([]byte, error) {
	if content, ok := strings.CutPrefix(from, "data:"); ok {
		kind, data, ok := strings.Cut(content, ",")
		if !ok {
			return nil, errors.New("a data URI needs a comma")
		}
		if strings.HasSuffix(kind, ";base64") {
			return base64.StdEncoding.DecodeString(data)
		}
		text, err := url.PathUnescape(data)
		return []byte(text), err
	}
	u, err := url.Parse(from)
	if err != nil {
		return nil, err
	}
	if !isAllowed(u) {
		return nil, fmt.Errorf("%q is not among GZIP_ALLOWED_DOMAINS", u.Host)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if !isAllowed(next.URL) {
			return fmt.Errorf("redirected to %q", next.URL.Host)
		}
		return nil
	}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", from, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxFile+1))
	if len(data) > maxFile {
		err = cmp.Or(err, fmt.Errorf("the file is larger than %d bytes", maxFile))
	}
	return data, err
}

// isAllowed reports whether files may be fetched from a URL.
func isAllowed(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return (u.Scheme == "http" || u.Scheme == "https") &&
		slices.ContainsFunc(strings.Split(os.Getenv("GZIP_ALLOWED_DOMAINS"), ","), func(domain string) bool {
			domain = strings.ToLower(strings.TrimSpace(domain))
			return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
		})
}

func (e *everything) toggleLogging(ctx context.Context, _ mcp.None) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.logging = !e.logging
	if !e.logging {
		return "Stopped simulated logging", nil
	}
	for _, level := range []protocol.LogLevel{
		protocol.LevelDebug, protocol.LevelInfo, protocol.LevelNotice, protocol.LevelWarning, protocol.LevelError, protocol.LevelCritical, protocol.LevelAlert, protocol.LevelEmergency,
	} {
		//lint:ignore SA1019 logging is deprecated, and a feature of the protocol all the same
		mcp.Log(ctx, level, "", fmt.Sprintf("%s-level message", level))
	}
	return "Started simulated logging with one message of each level", nil
}

func (e *everything) toggleUpdates(context.Context, mcp.None) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.updates != nil {
		close(e.updates)
		e.updates = nil
		return "Stopped simulated resource updates", nil
	}
	stop := make(chan struct{})
	e.updates = stop
	e.workers.Go(func() {
		ticker := time.NewTicker(5 * time.Second)
		defer ticker.Stop()
		for {
			e.update()
			select {
			case <-ticker.C:
			case <-stop:
				return
			}
		}
	})
	return "Started simulated resource updated notifications at a 5 second pace", nil
}
