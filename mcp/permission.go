package mcp

import (
	"maps"
	"slices"
)

// The permissions that tools need by default; see Tool.DefaultPermission.
const (
	// PermissionRead is the permission to use tools that change nothing.
	PermissionRead = "read"
	// PermissionWrite is the permission to change data of the server, for example files of a project.
	PermissionWrite = "write"
	// PermissionRun is the permission to run commands, programs and agents, and to act on them.
	PermissionRun = "run"
	// PermissionAdmin is the permission to manage the server itself. No annotation stands for it.
	PermissionAdmin = "admin"
)

// DefaultPermission returns the permission that calls of the tool need if its ToolOptions name none. The annotations decide:
// "read" for a read-only tool, "run" for a tool that may be destructive in an open world, as commands are, and "write" for
// every other tool. A tool without annotations needs "run", as the defaults of annotations are the dangerous values.
func (t Tool) DefaultPermission() string {
	is := func(hint *bool, otherwise bool) bool {
		if hint == nil {
			return otherwise
		}
		return *hint
	}
	a := t.Annotations
	if a == nil {
		a = new(ToolAnnotations)
	}
	switch {
	case is(a.ReadOnly, false):
		return PermissionRead
	case is(a.Destructive, true) && is(a.OpenWorld, true):
		return PermissionRun
	}
	return PermissionWrite
}

// Permissions returns the permissions that the registered tools need, sorted.
func (s *Server) Permissions() []string {
	all := make(map[string]bool)
	for _, owner := range s.current().owners {
		for _, tool := range owner.tools {
			for _, p := range tool.opts.Permissions {
				all[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
