package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// RawResult is a result that is already JSON, for example a result that a client receives or a
// gateway forwards. It is sent unchanged.
type RawResult json.RawMessage

// AppendJSON implements Result.
func (r RawResult) AppendJSON(dst []byte, _ Revision) ([]byte, error) { return append(dst, r...), nil }

// EmptyResult is a result without content. Meta is its _meta.
type EmptyResult struct{ Meta map[string]any }

// AppendJSON implements Result.
func (r EmptyResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(dst, '{')
	head := len(dst)
	if rev.Modern() {
		dst = append(dst, `"resultType":"complete"`...)
	}
	var err error
	if len(r.Meta) > 0 {
		if len(dst) > head {
			dst = append(dst, ',')
		}
		dst, err = jsonx.AppendValue(append(dst, `"_meta":`...), r.Meta)
	}
	return append(dst, '}'), err
}

// CacheHint tells a client how long it may cache a result (2026-07-28, server/utilities/caching).
type CacheHint struct {
	TTLMillis int64 // TTLMillis is the time to live in milliseconds; 0 means stale at once.
	Public    bool  // Public means that the result is the same for every principal.
}

// AppendMembers appends the members of the hint, each after a comma, if rev has them.
func (h CacheHint) AppendMembers(dst []byte, rev Revision) []byte {
	if !rev.Modern() {
		return dst
	}
	scope := "private"
	if h.Public {
		scope = "public"
	}
	return fmt.Appendf(dst, `,"ttlMs":%d,"cacheScope":%q`, max(h.TTLMillis, 0), scope)
}

// DiscoverResult describes a server and its features (2026-07-28, server/discover).
type DiscoverResult struct {
	Server       Implementation     // Server names the server.
	Supported    []Revision         // Supported lists the revisions that the server speaks.
	Capabilities ServerCapabilities // Capabilities are the server's capabilities.
	Instructions string             // Instructions explain the server to the model; optional.
	Cache        CacheHint          // Cache is the cache hint for clients.
}

// AppendJSON implements Result.
func (r *DiscoverResult) AppendJSON(dst []byte, rev Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"complete","supportedVersions":`...)
	dst = mustMarshal(dst, r.Supported)
	dst, err := jsonx.AppendValue(append(dst, `,"capabilities":`...), r.Capabilities)
	if err != nil {
		return nil, fmt.Errorf("writing the capabilities of the server: %w", err)
	}
	dst = jsonx.AppendOptional(dst, "instructions", r.Instructions)
	dst = r.Cache.AppendMembers(dst, rev)
	if rev.Modern() {
		dst = append(mustMarshal(append(dst, `,"_meta":{"`+MetaServerInfo+`":`...), r.Server), '}')
	}
	return append(dst, '}'), nil
}

// UnmarshalJSON decodes a result of server/discover.
func (r *DiscoverResult) UnmarshalJSON(data []byte) error {
	var wire struct {
		Supported    []Revision                 `json:"supportedVersions"`
		Capabilities ServerCapabilities         `json:"capabilities"`
		Instructions string                     `json:"instructions"`
		TTL          int64                      `json:"ttlMs"`
		Scope        string                     `json:"cacheScope"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("reading a discover result: %w", err)
	}
	*r = DiscoverResult{
		Supported: wire.Supported, Capabilities: wire.Capabilities, Instructions: wire.Instructions,
		Cache: CacheHint{TTLMillis: wire.TTL, Public: wire.Scope == "public"},
	}
	if raw, ok := wire.Meta[MetaServerInfo]; ok {
		if err := json.Unmarshal(raw, &r.Server); err != nil {
			return fmt.Errorf("reading the server's identity: %w", err)
		}
	}
	return nil
}

// ListenResult is the result of a subscription that the server has ended. Subscription is the id of
// its request.
type ListenResult struct{ Subscription ID }

// AppendJSON implements Result.
func (r *ListenResult) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"complete",`...)
	return append(appendSubscription(dst, r.Subscription), '}'), nil
}
