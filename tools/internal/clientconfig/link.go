package clientconfig

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Link is a link by which a client asks its user whether to add a server.
type Link struct {
	URL string // opens the client
	Web string // the same as a page of the client's maker, for documents that allow https only
}

// Link returns the link that adds a server under a name. Cursor and VS Code have links:
// https://cursor.com/docs/mcp/install-links and
// https://code.visualstudio.com/api/extension-guides/ai/mcp#create-an-mcp-installation-url.
func (c Client) Link(name string, s Server) (Link, error) {
	if err := checkName(name); err != nil {
		return Link{}, err
	}
	if err := checkVariables(s.Env); err != nil {
		return Link{}, err
	}
	s.Token = "" // a link may be shared
	entry := c.fields(s, Project)
	switch c.Name {
	case "cursor":
		text, err := json.Marshal(objectOf(entry))
		if err != nil {
			return Link{}, err
		}
		query := "name=" + url.QueryEscape(name) + "&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString(text))
		return Link{"cursor://anysphere.cursor-deeplink/mcp/install?" + query, "https://cursor.com/en/install-mcp?" + query}, nil
	case "vscode", "vscode-insiders":
		text, err := json.Marshal(objectOf(append([]field{{"name", name}}, entry...)))
		if err != nil {
			return Link{}, err
		}
		scheme, site := "vscode", "https://vscode.dev"
		if c.Name == "vscode-insiders" {
			scheme, site = "vscode-insiders", "https://insiders.vscode.dev"
		}
		link := scheme + ":mcp/install?" + strings.ReplaceAll(url.QueryEscape(string(text)), "+", "%20")
		return Link{link, site + "/redirect?url=" + url.QueryEscape(link)}, nil
	}
	return Link{}, fmt.Errorf("%s has no links that add servers; cursor, vscode and vscode-insiders do", c.Title)
}

// objectOf returns members as a value for encoding/json.
func objectOf(fields []field) map[string]any {
	object := make(map[string]any, len(fields))
	for _, f := range fields {
		if inside, ok := f.value.([]field); ok {
			f.value = objectOf(inside)
		}
		object[f.name] = f.value
	}
	return object
}
