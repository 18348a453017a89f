package editor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/debug"
)

// debugAdapters are the known debuggers, with the commands of the settings in their place.
func debugAdapters(settings []string) ([]debug.Adapter, error) {
	all := debug.DefaultAdapters()
	for _, setting := range settings {
		name, line, _ := strings.Cut(setting, "=")
		words := strings.Fields(line)
		i := slices.IndexFunc(all, func(a debug.Adapter) bool { return a.Name == name })
		if i < 0 || len(words) == 0 {
			var names []string
			for _, a := range all {
				names = append(names, a.Name)
			}
			return nil, fmt.Errorf("the debugger %q is not understood; write NAME=COMMAND, where NAME is one of %s", setting, strings.Join(names, ", "))
		}
		all[i].Command, all[i].Args = words[0], words[1:]
	}
	return all, nil
}

// openDebugger makes the tools that debug.
func (s *service) openDebugger(ctx context.Context, env tools.Env, policy debug.Checker) error {
	c := s.config.Debug
	adapters, err := debugAdapters(c.Adapters)
	if err != nil || !c.Enabled {
		return err
	}
	if s.debugger, err = debug.New(ctx, env, debug.Options{Adapters: adapters, Policy: policy, Sandbox: s.sandbox, Attach: c.Attach}); err != nil {
		return err
	}
	s.sets = append(s.sets, s.debugger)
	return nil
}
