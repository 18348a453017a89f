package telemetry

import (
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/mcp"
)

// naming notices the first tool call whose _meta names the model of the client. It reports that once
// to each watch, because clients then get another list of tools.
type naming struct {
	named    atomic.Bool // a call has named a model
	watching atomic.Bool // there is a watch

	mu      sync.Mutex
	watches map[*namingWatch]struct{}
}

// namingWatch is a function that naming calls once, with the _meta keys to look for.
type namingWatch struct {
	keys    []string
	changed func()
}

// observe looks for a model in a call until one has named it.
func (n *naming) observe(call *mcp.Invocation) {
	if call == nil || call.Request == nil || n.named.Load() || !n.watching.Load() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	found := false
	for w := range n.watches {
		if _, ok := modelInMeta(call, w.keys); ok {
			found = true
			break
		}
	}
	if !found || n.named.Swap(true) {
		return
	}
	for w := range n.watches {
		w.changed()
	}
}

// watch calls changed when a call names a model under one of the keys, until stop is called. changed
// must not block.
func (n *naming) watch(keys []string, changed func()) (stop func()) {
	w := &namingWatch{keys, changed}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watches == nil {
		n.watches = make(map[*namingWatch]struct{})
	}
	n.watches[w] = struct{}{}
	n.watching.Store(true)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watches, w)
		n.watching.Store(len(n.watches) > 0)
	}
}
