package record

import (
	"encoding/json"
	"slices"
)

// Clone is a copy that shares nothing which can be changed: what a Store takes in and hands out.
func (a Agent) Clone() Agent {
	a.ContextFiles = slices.Clone(a.ContextFiles)
	a.DependsOn = slices.Clone(a.DependsOn)
	a.RecentToolCalls = cloneCalls(a.RecentToolCalls)
	if a.Usage != nil {
		usage := *a.Usage
		a.Usage = &usage
	}
	if a.Report != nil {
		report := *a.Report
		report.EditedFiles = slices.Clone(report.EditedFiles)
		report.CreatedFiles = slices.Clone(report.CreatedFiles)
		a.Report = &report
	}
	if a.Result != nil {
		result := a.Result.Clone()
		a.Result = &result
	}
	return a
}

// cloneCalls copies the arguments of all calls into one piece of memory.
func cloneCalls(calls []ToolCall) []ToolCall {
	calls = slices.Clone(calls)
	size := 0
	for i := range calls {
		size += len(calls[i].Args)
	}
	all := make(json.RawMessage, 0, size)
	for i := range calls {
		if args := calls[i].Args; args != nil {
			from := len(all)
			all = append(all, args...)
			calls[i].Args = all[from:len(all):len(all)]
		}
	}
	return calls
}

// Clone is a copy that shares nothing which can be changed.
func (r Result) Clone() Result {
	r.EditedFiles = slices.Clone(r.EditedFiles)
	r.CreatedFiles = slices.Clone(r.CreatedFiles)
	r.DeletedFiles = slices.Clone(r.DeletedFiles)
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		r.Changes[i].Sources = slices.Clone(r.Changes[i].Sources)
	}
	return r
}

// Clone is a copy that shares nothing which can be changed.
func (g Group) Clone() Group {
	g.AgentIDs = slices.Clone(g.AgentIDs)
	return g
}
