package mcp

import "github.com/dougu-go/dougu/mcp/protocol"

// Implementation describes a server or a client. Name and Version identify the program. Title,
// Description, WebsiteURL and Icons are optional; older revisions lack them.
type Implementation = protocol.Implementation

// Meta is a _meta object. A key with a prefix in reverse-domain form belongs to the owner of the
// domain (2026-07-28, basic, "_meta").
type Meta map[string]any
