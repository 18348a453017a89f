package apps

import (
	"context"
	"encoding/json"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// Identifiers of the extension.
const (
	// ID is the id of the extension.
	ID = "io.modelcontextprotocol/ui"
	// MIMEType is the media type of pages, the only one that the extension defines.
	MIMEType = "text/html;profile=mcp-app"
)

// Offer declares the extension for a server (MCP Apps, "Client<>Server Capability Negotiation").
func Offer(o *mcp.ServerOptions) { o.Extensions = with(o.Extensions, `{}`) }

// Declare declares the extension for a client whose host displays pages.
func Declare(o *mcp.ClientOptions) {
	o.Extensions = with(o.Extensions, `{"mimeTypes":["`+MIMEType+`"]}`)
}

// with returns a copy of extensions with the extension added.
func with(extensions map[string]json.RawMessage, settings string) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(extensions)+1)
	maps.Copy(all, extensions)
	all[ID] = json.RawMessage(settings)
	return all
}

// Supported reports whether the server offers the extension and the host of the call of ctx
// displays pages. A list of tools must not depend on it, because since 2026-07-28 lists may depend
// only on the principal. Therefore every client receives all tools with their pages, including the
// tools for pages only.
func Supported(ctx context.Context) bool {
	raw, ok := mcp.SupportsExtension(ctx, ID)
	if !ok {
		return false
	}
	var settings struct {
		MIMETypes []string `json:"mimeTypes"`
	}
	return json.Unmarshal(raw, &settings) == nil && slices.ContainsFunc(settings.MIMETypes, isPage)
}

// isPage reports whether text is MIMEType in any spelling.
func isPage(text string) bool {
	media, parameters, err := mime.ParseMediaType(text)
	return err == nil && media == "text/html" && strings.EqualFold(parameters["profile"], "mcp-app")
}
