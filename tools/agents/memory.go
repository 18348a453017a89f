package agents

import "github.com/dougu-go/dougu/tools/agents/record"

// keepInMemory makes what was not given.
func (a *Agents) keepInMemory() {
	if a.store != nil && a.events != nil && a.outputs != nil {
		return
	}
	memory := record.NewMemory(record.MemoryOptions{})
	a.closing = memory.Close
	if a.store == nil {
		a.store = memory
	}
	if a.events == nil {
		a.events = memory.Log()
	}
	if a.outputs == nil {
		a.outputs = memory.Outputs()
	}
}
