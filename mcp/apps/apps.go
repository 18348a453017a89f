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

const (
	// ID is the name of the extension.
	ID = "io.modelcontextprotocol/ui"
	// MIMEType is the media type of pages; there is no other one yet.
	MIMEType = "text/html;profile=mcp-app"
)

// Offer adds the extension to what a server offers (MCP Apps, "Client<>Server
// Capability Negotiation").
func Offer(o *mcp.ServerOptions) { o.Extensions = with(o.Extensions, `{}`) }

// Declare says that a client is part of a host which shows pages.
func Declare(o *mcp.ClientOptions) {
	o.Extensions = with(o.Extensions, `{"mimeTypes":["`+MIMEType+`"]}`)
}

// with leaves the caller's map as it is, which other options may have, too.
func with(extensions map[string]json.RawMessage, settings string) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(extensions)+1)
	maps.Copy(all, extensions)
	all[ID] = json.RawMessage(settings)
	return all
}

// Supported reports whether the host of ctx's call shows pages and the server
// offers the extension. Lists of tools must not depend on it: since 2026-07-28
// they may differ by who asks alone. So a tool is listed with its page, and those
// for pages alone are listed as well, to every client; one without the extension
// does not look at that.
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

// isPage reports whether a media type is MIMEType, however it is written.
func isPage(text string) bool {
	media, parameters, err := mime.ParseMediaType(text)
	return err == nil && media == "text/html" && strings.EqualFold(parameters["profile"], "mcp-app")
}
